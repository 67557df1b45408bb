/** Comments without a line beside them: those on an earlier result, which are never sent by themselves, and others. */
import type { ReactNode } from 'react'
import type { Task } from '../api/types.ts'
import { Prose, Text } from '../parts/text.tsx'
import { keepDrafts } from './draft-store.ts'
import type { Draft, DraftComment } from './drafts.ts'
import { withComments } from './drafts.ts'

export function CommentList({
  comments,
  title,
  children,
  more,
}: {
  comments: readonly DraftComment[]
  title: ReactNode
  /** What can be done with each, and with all of them. */
  children?: (comment: DraftComment) => ReactNode
  more?: ReactNode
}) {
  if (comments.length === 0) return null
  return (
    <div className="note warn">
      <strong>{title}</strong>
      <ul className="older">
        {comments.map((comment) => (
          <li key={comment.id}>
            <code>
              <Text>{`${comment.file}:${comment.line}`}</Text>
            </code>
            <Prose>{comment.message}</Prose>
            {children?.(comment)}
          </li>
        ))}
      </ul>
      {more}
    </div>
  )
}

export function OlderDrafts({ task, drafts, commit }: { task: Task; drafts: readonly Draft[]; commit: string }) {
  const now = drafts.find((draft) => draft.commit === commit)?.comments ?? []
  return drafts
    .filter((draft) => draft.commit !== commit)
    .map(({ commit: before, comments }) => {
      const without = withComments(drafts, before, [])
      return (
        <CommentList
          key={before}
          comments={comments}
          title={
            <>
              Written about an earlier result, <code>{before.slice(0, 8)}</code>, and not sent
            </>
          }
          more={
            <>
              <button
                type="button"
                onClick={() => keepDrafts(task.id, withComments(without, commit, [...now, ...comments]))}
              >
                Keep for this result
              </button>{' '}
              <button type="button" onClick={() => keepDrafts(task.id, without)}>
                Discard
              </button>
            </>
          }
        />
      )
    })
}
