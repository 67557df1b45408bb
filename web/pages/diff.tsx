/** What a task changed: files at the side, lines in their colours, and comments on them that go back as one rejection. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { ProblemError } from '../api/client.ts'
import { attemptsQuery, changesQuery } from '../api/queries.ts'
import type { Answer, Attempt, Task } from '../api/types.ts'
import { keepDrafts, newComment, useDrafts } from '../diff/draft-store.ts'
import type { DraftComment } from '../diff/drafts.ts'
import { canCommentOn, commentsMax, withComments } from '../diff/drafts.ts'
import { Counts, Files, Status } from '../diff/files.tsx'
import { DiffLine } from '../diff/line.tsx'
import type { Jump } from '../diff/list.tsx'
import { DiffList } from '../diff/list.tsx'
import { CommentList, OlderDrafts } from '../diff/older.tsx'
import type { Hunk, Line, PatchFile } from '../diff/patch.ts'
import { parsePatch } from '../diff/patch.ts'
import type { Place, Row } from '../diff/rows.ts'
import { isOpenAtFirst, placeKey, placesIn, rowsOf } from '../diff/rows.ts'
import { Talk } from '../diff/talk.tsx'
import { useView } from '../diff/view.tsx'
import { Command, Empty, Loading, ProblemNote } from '../parts/problem.tsx'
import { Text } from '../parts/text.tsx'

type Colours = typeof import('../diff/highlight.ts')

export function Diff({ task, show }: { task: Task; show: string }) {
  const { data, error, refetch } = useQuery(changesQuery(task, show))
  const none = error instanceof ProblemError && error.problem.code === 'not_found'
  return (
    <section className="diff" aria-label="Diff">
      {none && show === '' ? (
        <Empty title="Nothing to compare yet">
          <p>The changes of its author appear here when the first attempt has a result.</p>
          <p>
            <Command>{`muster explain ${task.id}`}</Command>
          </p>
        </Empty>
      ) : (
        <>
          {error === null ? null : <ProblemNote error={error} onRetry={() => void refetch()} />}
          {data === undefined ? (
            <>
              <ShowChoice task={task} show={show} />
              {error === null ? <Loading what="the diff" /> : null}
            </>
          ) : (
            <Changes task={task} show={show} changes={data} />
          )}
        </>
      )}
    </section>
  )
}

/** Which attempt, and compared with what. */
function ShowChoice({ task, show }: { task: Task; show: string }) {
  const { data: attempts = [] } = useQuery(attemptsQuery(task.id))
  const navigate = useNavigate()
  const numbers = [...new Set(attempts.filter(isResult).map(({ attempt }) => attempt))].filter(
    (n) => n !== task.attempt,
  )
  if (numbers.length === 0) return null
  return (
    <select
      aria-label="Show"
      value={show}
      onChange={(event) =>
        void navigate({
          to: '/tasks/$id',
          params: { id: task.id },
          search: { tab: 'diff', show: event.target.value || undefined },
          replace: true,
        })
      }
    >
      <option value="">{task.status === 'completed' ? 'What landed' : 'The whole change'}</option>
      {numbers.toReversed().map((n) => (
        <option key={`since=${n}`} value={`since=${n}`}>{`Since attempt ${n}`}</option>
      ))}
      {numbers.toReversed().map((n) => (
        <option key={`attempt=${n}`} value={`attempt=${n}`}>{`Attempt ${n} as it was`}</option>
      ))}
    </select>
  )
}

const isResult = ({ kind, commit }: Attempt): boolean => kind === 'agent' && commit !== null

function Changes({ task, show, changes }: { task: Task; show: string; changes: Answer<'Changes'> }) {
  const files = useMemo(() => parsePatch(changes.patch, changes.cut), [changes])
  const [toggled, setToggled] = useState<ReadonlySet<PatchFile>>(new Set())
  const [jump, setJump] = useState<Jump | null>(null)
  const [writing, setWriting] = useState<{ place: Place; id: string | null; text: string; quote: string } | null>(null)
  const { view, choice } = useView()
  const drafts = useDrafts(task.id)
  const colours = useColours()
  const unfinished = useRef<(() => void) | null>(null)
  // A new result, or another tab, takes this away: what was being written then is a comment like those before it.
  useEffect(() => () => unfinished.current?.(), [])

  // Comments are about the work that would go back: the last result of a task that somebody can still send back.
  const over = task.status === 'completed' || task.status === 'cancelled' || task.status === 'failed'
  const speaks = !over && changes.to === task.commit
  const comments = useMemo(
    () => (speaks ? (drafts.find(({ commit }) => commit === changes.to)?.comments ?? []) : []),
    [drafts, speaks, changes.to],
  )
  const isOpen = (file: PatchFile): boolean => isOpenAtFirst(file) !== toggled.has(file)
  const rows = useMemo(
    () => rowsOf(files, view, isOpen, comments, writing?.place ?? null),
    [files, view, toggled, comments, writing?.place],
  )
  const places = useMemo(() => placesIn(files), [files])
  const elsewhere = comments.filter((comment) => !places.has(placeKey(comment)))
  const toggle = (file: PatchFile): void => setToggled((before) => before.symmetricDifference(new Set([file])))
  const keep = (next: DraftComment[]): void => keepDrafts(task.id, withComments(drafts, changes.to, next))
  const begin = (row: Row, place: Place): void => {
    if (!speaks || row.type !== 'line' || !canCommentOn(place.file)) return
    const line = [row.left, row.right].find((one) => (place.side === 'old' ? one?.old : one?.new) === place.line)
    setWriting({ place, id: null, text: '', quote: line?.text ?? '' })
  }
  const end = (): void => {
    if (writing !== null) setJump({ place: writing.place })
    setWriting(null)
  }
  const put = (): void => {
    if (writing === null) return
    const { place, id, quote, text } = writing
    if (id === null) keep([...comments, newComment(place, quote, text.trim())])
    else keep(comments.map((one) => (one.id === id ? { ...one, message: text.trim() } : one)))
  }
  const save = (): void => {
    put()
    end()
  }
  useEffect(() => {
    unfinished.current = writing === null || writing.text.trim() === '' ? null : put
  })

  const draw = (row: Row) => {
    const { file } = row
    if (row.type === 'file') return <FileHead file={file} open={row.open} onToggle={() => toggle(file)} />
    if (row.type === 'note')
      return (
        <p className="diff-note">
          <Text>{row.text}</Text>{' '}
          {file.cut && row.text.includes('longer') ? <Command>{`muster diff ${task.id}`}</Command> : null}
        </p>
      )
    if (row.type === 'hunk') return <HunkHead hunk={row.hunk} />
    if (row.type === 'line') {
      const language = colours?.languageOf(file.path) ?? null
      const canSpeak = speaks && canCommentOn(file.path) && comments.length < commentsMax
      return (
        <DiffLine
          row={row}
          view={view}
          tokens={(line: Line) => (language === null ? null : (colours?.tokensOf(language, row.hunk, line) ?? null))}
          onComment={canSpeak ? (place) => begin(row, place) : null}
        />
      )
    }
    const { place } = row
    const key = placeKey(place)
    return (
      <Talk
        where={`${place.file}:${place.line}${place.side === 'old' ? ' (removed)' : ''}`}
        comments={comments.filter((one) => placeKey(one) === key)}
        writing={writing !== null && placeKey(writing.place) === key ? writing : null}
        onText={(text) => setWriting((now) => (now === null ? now : { ...now, text }))}
        onSave={save}
        onCancel={end}
        onEdit={({ id, message, quote }) => setWriting({ place, id, text: message, quote })}
        onRemove={({ id }) => {
          keep(comments.filter((one) => one.id !== id))
          setJump({ place })
        }}
      />
    )
  }
  const added = files.reduce((sum, file) => sum + file.added, 0)
  const removed = files.reduce((sum, file) => sum + file.removed, 0)
  return (
    <>
      <div className="diff-head">
        <ShowChoice task={task} show={show} />
        <span>
          {files.length === 1 ? '1 file' : `${files.length} files`} <Counts added={added} removed={removed} />
        </span>
        <span className="muted small mono" title={`${changes.from} to ${changes.to}`}>
          {changes.from.slice(0, 8)}…{changes.to.slice(0, 8)}
        </span>
        {speaks ? (
          <span className="muted small diff-hint">
            <kbd>j</kbd> <kbd>k</kbd> lines, <kbd>[</kbd> <kbd>]</kbd> hunks, <kbd>c</kbd> comment
          </span>
        ) : null}
        {choice}
      </div>
      {speaks ? <OlderDrafts task={task} drafts={drafts} commit={changes.to} /> : null}
      <CommentList comments={elsewhere} title="On lines that this view does not show">
        {({ id }) => (
          <button type="button" onClick={() => keep(comments.filter((one) => one.id !== id))}>
            Remove
          </button>
        )}
      </CommentList>
      {changes.leftOut === 0 ? null : (
        <p className="note warn">
          The diff is too long for this page: {changes.leftOut.toLocaleString()} more files are in{' '}
          <Command>{`muster diff ${task.id}`}</Command>
        </p>
      )}
      {files.length === 0 ? (
        <Empty title="Nothing changed">
          <p>Both sides are the same.</p>
        </Empty>
      ) : (
        <div className="diff-body">
          <Files
            files={files}
            commentsOf={(file) => comments.filter(({ file: name }) => name === file.path || name === file.from).length}
            onPick={(file) => setJump({ file })}
          />
          <DiffList rows={rows} jump={jump} draw={draw} onComment={begin} onToggle={toggle} />
        </div>
      )}
    </>
  )
}

/** They come when they come; until then everything is plain. */
function useColours(): Colours | null {
  const [colours, setColours] = useState<Colours | null>(null)
  useEffect(() => {
    let gone = false
    import('../diff/highlight.ts').then(
      (loaded) => void (gone || setColours(loaded)),
      () => undefined,
    )
    return () => {
      gone = true
    }
  }, [])
  return colours
}

function FileHead({ file, open, onToggle }: { file: PatchFile; open: boolean; onToggle(): void }) {
  const lines = file.hunks.reduce((sum, { lines: all }) => sum + all.length, 0)
  return (
    <div className="diff-file">
      <button type="button" className="quiet" aria-expanded={open} onClick={onToggle}>
        <span aria-hidden="true">{open ? '▾' : '▸'}</span> <Status file={file} />
        <strong className="mono">
          {file.from === null ? null : (
            <>
              <Text>{file.from}</Text> →{' '}
            </>
          )}
          <Text>{file.path}</Text>
        </strong>
      </button>
      {open ? null : <span className="muted small">{lines.toLocaleString()} lines, closed</span>}
      <Counts added={file.added} removed={file.removed} />
    </div>
  )
}

function HunkHead({ hunk: { oldStart, newStart, heading } }: { hunk: Hunk }) {
  return (
    <div className="diff-hunk mono">
      @@ −{oldStart} +{newStart} @@ <Text>{heading}</Text>
    </div>
  )
}
