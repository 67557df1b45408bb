/**
 * Edits a draft. Changes are stored in this browser with the revision that they belong to: a newer draft is shown, and
 * the person decides before either replaces the other. The server lists problems, and criteria too vague to verify.
 */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { post } from '../api/client.ts'
import { needsQuery } from '../api/queries.ts'
import type { Draft, DraftCheck } from '../api/types.ts'
import { Actions } from '../parts/actions.tsx'
import type { EditDraft } from '../parts/draft-edit.ts'
import { add, fromDraft, isSame, toStory } from '../parts/draft-edit.ts'
import { ProblemNote } from '../parts/problem.tsx'
import { stored } from '../parts/stored.ts'
import { Text } from '../parts/text.tsx'
import { DraftTask, Unseen } from './draft-task.tsx'

interface Kept {
  revision: string | null
  edit: EditDraft
}

/** What somebody changed of this draft, in this browser. */
export const keptEdit = (id: string) => stored<Kept>(`muster-draft:${id}`)

/** Nobody wants to read what is wrong with a word half typed. */
const settleMs = 400

export function DraftEditor({ data, draft }: { data: Draft; draft: NonNullable<Draft['draft']> }) {
  const { id, revision } = data
  const navigate = useNavigate()
  const kept = keptEdit(id)
  const original = useMemo(() => fromDraft(draft), [draft])
  const [mine, setMine] = useState<Kept | null>(() => kept.get())
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const stale = mine !== null && mine.revision !== revision
  const edit = mine === null || stale ? original : mine.edit
  const edited = mine !== null && !stale && !isSame(mine.edit, original)
  const put = (next: Kept | null) => {
    kept.set(next)
    setMine(next)
  }
  const onEdit = (next: EditDraft) => put({ revision, edit: next })
  const check = useCheck(edit, { problems: [], lint: data.lint }, edited)
  const approve = async () => {
    setBusy(true)
    setError(null)
    const body = { draft: id, ...(revision === null ? {} : { revision }), ...(edited ? { story: toStory(edit) } : {}) }
    try {
      const { story } = await post('Submitted', '/api/stories/approve', body)
      kept.set(null)
      await navigate({ to: '/stories/$id', params: { id: story.id } })
    } catch (caught) {
      setError(caught)
      setBusy(false)
    }
  }
  const whole = check.problems.filter(({ task }) => task === null)
  return (
    <>
      {stale ? (
        <div className="note warn" role="alert">
          <strong>There is a newer draft.</strong>
          <p>Your changes belong to an older one. They are kept, but the draft below does not include them.</p>
          <div className="note-buttons">
            <button type="button" onClick={() => put(null)}>
              Discard my changes
            </button>
            <button type="button" onClick={() => put({ revision, edit: mine.edit })}>
              Replace the newer draft with mine
            </button>
          </div>
        </div>
      ) : null}
      <section className="panel draft-head">
        <div className="field">
          <label htmlFor="draft-name">Name of the story</label>
          <input
            id="draft-name"
            value={edit.name}
            disabled={stale}
            aria-describedby={whole.length > 0 ? 'draft-name-wrong' : undefined}
            aria-invalid={whole.length > 0}
            onChange={(event) => onEdit({ ...edit, name: event.target.value })}
          />
          <Unseen text={edit.name} />
          {whole.length === 0 ? null : (
            <p id="draft-name-wrong" className="failure small">
              <Text>{whole.map(({ message }) => message).join('; ')}</Text>
            </p>
          )}
        </div>
        <div className="draft-buttons">
          <Sum check={check} edited={edited} />
          <Reject id={id} />
          {edited ? (
            <button type="button" onClick={() => put(null)}>
              Undo my changes
            </button>
          ) : null}
          <button
            type="button"
            className="primary"
            data-key="a"
            disabled={busy || stale || check.problems.length > 0}
            onClick={() => void approve()}
          >
            {edited ? 'Approve as edited' : 'Approve and start'}
          </button>
        </div>
        {error === null ? null : <ProblemNote error={error} />}
      </section>
      <ol className="draft-tasks">
        {edit.tasks.map((task, index) => (
          <DraftTask
            key={task.key}
            draft={edit}
            task={task}
            number={String(index + 1)}
            parent={null}
            check={check}
            disabled={stale}
            onEdit={onEdit}
          />
        ))}
      </ol>
      <p>
        <button type="button" disabled={stale} onClick={() => onEdit(add(edit, null))}>
          Add a task
        </button>
      </p>
    </>
  )
}

function Sum({ check: { problems, lint }, edited }: { check: DraftCheck; edited: boolean }) {
  const said = [
    ...(problems.length === 0 ? [] : [problems.length === 1 ? '1 problem' : `${problems.length} problems`]),
    ...(lint.length === 0 ? [] : [lint.length === 1 ? '1 warning' : `${lint.length} warnings`]),
    ...(edited ? ['edited by you'] : []),
  ]
  return (
    <span className="muted small" role="status">
      {said.join(' · ')}
    </span>
  )
}

/** Another draft, with words on what should be otherwise; or none. */
function Reject({ id }: { id: string }) {
  const need = useQuery(needsQuery).data?.items.find((one) => one.id === id && one.kind === 'draft')
  if (need === undefined) return null
  const actions = need.actions.filter((action) => action === 'reject' || action === 'cancel')
  return <Actions need={{ ...need, actions, labels: { reject: 'Request changes…' } }} />
}

/** What the server says of it, once it has settled. Until then, and where it cannot be asked, what it said last. */
function useCheck(edit: EditDraft, first: DraftCheck, edited: boolean): DraftCheck {
  const [told, setTold] = useState<DraftCheck | null>(null)
  const sent = edited ? JSON.stringify({ story: toStory(edit) }) : null
  useEffect(() => {
    if (sent === null) return setTold(null)
    let wanted = true
    const timer = setTimeout(() => {
      post('DraftCheck', '/api/drafts/check', JSON.parse(sent) as object).then(
        (check) => wanted && setTold(check),
        () => undefined,
      )
    }, settleMs)
    return () => {
      wanted = false
      clearTimeout(timer)
    }
  }, [sent])
  return told ?? first
}
