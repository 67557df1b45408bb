/** The actions of a person on something that needs them: one button each, and a question first where it matters. */
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { at, post } from '../api/client.ts'
import { needsQuery } from '../api/queries.ts'
import { renew } from '../api/renew.ts'
import type { Need, NeedAction } from '../api/types.ts'
import { draftsOf } from '../diff/draft-store.ts'
import type { DraftComment } from '../diff/drafts.ts'
import { asRequest } from '../diff/drafts.ts'
import type { Question } from './dialog.tsx'
import { ask } from './dialog.tsx'
import { ProblemNote } from './problem.tsx'
import { Code, Prose, Text } from './text.tsx'

export type Actionable = Pick<
  Need,
  'id' | 'title' | 'kind' | 'report' | 'reason' | 'version' | 'reasonNeeded' | 'actions'
> & {
  /** The branch that accepting it lets it land on. */
  lands?: string | null
  /** Comments on its lines that go along when it is sent back, and what to do when they have gone. */
  draft?: { comments: readonly DraftComment[]; sent(): void }
  /** Other words on the buttons, where the page can say more. */
  labels?: Partial<Record<NeedAction, string>>
}

interface Verb {
  label(need: Actionable): string
  /** The key that does the same. */
  key?: string
  tone?: 'primary' | 'danger'
  question(need: Actionable): Question | null | Promise<Question>
  /** Without a question; as a decision about the task, if nothing else is said. */
  act?(need: Actionable): Promise<unknown>
}

const decide = (need: Actionable, verb: string, body: object) =>
  post('Task', `/api/tasks/${encodeURIComponent(need.id)}/${verb}`, body, need.version)

/** Taking it over what somebody found needs words, and they are kept. */
function overrule(need: Actionable, verb: 'accept' | 'approve'): Question | null {
  if (!need.reasonNeeded) return null
  return {
    title: `Accept “${need.title}” anyway?`,
    body: (
      <>
        <p>
          <Text>{`This overrules: ${need.reason}.`}</Text>
        </p>
        {need.report === null || need.report === '' ? null : <Code label="What the checker said">{need.report}</Code>}
        {(need.lands ?? null) === null ? null : (
          <p>
            It then lands on <code>{need.lands}</code>.
          </p>
        )}
        <p>Your reason is stored with the task, and everyone can see it.</p>
      </>
    ),
    words: { label: 'Reason', required: true },
    yes: 'Accept anyway',
    danger: true,
    act: (reason) => decide(need, verb, { reason }),
  }
}

const story = (need: Actionable, verb: string, body: object) =>
  post('Story', `/api/stories/${encodeURIComponent(need.id)}/${verb}`, body)

const chooseType = (type: 'verifiable' | 'advisory') => (need: Actionable) =>
  post('Task', at`/api/tasks/${need.id}/contract`, { type })

const VERBS: Record<NeedAction, Verb> = {
  accept: {
    label: ({ kind, reasonNeeded, lands = null }) =>
      kind === 'plan'
        ? 'Approve the plan'
        : reasonNeeded
          ? 'Accept anyway…'
          : lands === null
            ? 'Accept'
            : `Accept and land on ${lands}`,
    key: 'a',
    question: (need) => overrule(need, 'accept'),
  },
  approve: {
    label: ({ reasonNeeded }) => (reasonNeeded ? 'Accept anyway…' : 'Approve and land'),
    key: 'a',
    question: (need) => overrule(need, 'approve'),
  },
  reject: {
    label: ({ draft }) => {
      const comments = draft?.comments.length ?? 0
      return comments === 0 ? 'Send back…' : `Send back with ${comments === 1 ? '1 comment' : `${comments} comments`}…`
    },
    key: 'r',
    question: (need) => ({
      title: `Send back “${need.title}”`,
      body: <RejectText need={need} />,
      words: { label: 'What must change', required: (need.draft?.comments.length ?? 0) === 0 },
      yes: 'Send back',
      async act(message) {
        const comments = need.draft?.comments.map(asRequest) ?? []
        await decide(need, 'reject', comments.length === 0 ? { message } : { message, comments })
        need.draft?.sent()
      },
    }),
  },
  retry: { label: () => 'Retry', key: 't', question: () => null },
  cancel: {
    label: () => 'Cancel…',
    question: (need) => ({
      title: `Cancel “${need.title}”?`,
      body: <p>Its worker is stopped. Tasks that depend on it cannot start until it is retried.</p>,
      words: { label: 'Why', required: false },
      yes: 'Cancel the task',
      danger: true,
      act: (reason) => decide(need, 'cancel', reason === '' ? {} : { reason }),
    }),
  },
  'approve-draft': {
    label: () => 'Read the draft',
    key: 'a',
    tone: 'primary',
    // It has a page of its own.
    question: () => null,
  },
  ship: {
    label: () => 'Ship…',
    key: 'a',
    tone: 'primary',
    question: async (need) => {
      const { shipQuestion } = await import('./ship-question.tsx')
      return shipQuestion(need)
    },
  },
  resume: {
    label: ({ kind }) => (kind === 'deferred' ? 'Run them again…' : 'Deploy again…'),
    question: (need) => ({
      title: `Continue with “${need.title}”?`,
      body: (
        <p>
          <Text>{`It stopped: ${need.reason}.${need.kind === 'deferred' ? '' : ' Continuing may run the deploy command again.'}`}</Text>
        </p>
      ),
      yes: 'Continue',
      danger: need.kind !== 'deferred',
      act: () => story(need, 'ship', { how: 'resume' }),
    }),
  },
  deployed: {
    label: () => 'Confirm the deploy…',
    tone: 'primary',
    question: (need) => ({
      title: `Is “${need.title}” deployed?`,
      body: <p>The outcome of the deploy is unknown. Check the deployed system first, then say what you saw.</p>,
      words: { label: 'What you saw', required: true },
      yes: 'It is deployed',
      act: (message) => story(need, 'ship', { how: 'deployed', message }),
    }),
  },
  fix: {
    label: () => 'Create fix tasks…',
    key: 'a',
    tone: 'primary',
    question: (need) => ({
      title: `Create tasks that fix “${need.title}”?`,
      body: <Prose>{need.reason}</Prose>,
      yes: 'Create fix tasks',
      act: () => post('Fixes', at`/api/stories/${need.id}/fix`),
    }),
  },
  'as-verifiable': {
    label: () => 'Verify it',
    key: 'a',
    tone: 'primary',
    question: () => null,
    act: chooseType('verifiable'),
  },
  'as-advisory': { label: () => 'Do not verify it', question: () => null, act: chooseType('advisory') },
  unpause: {
    label: () => 'Resume',
    key: 'a',
    tone: 'primary',
    question: () => null,
    act: () => post('Paused', '/api/resume'),
  },
}

export function Actions({ need }: { need: Actionable }) {
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const act = async (verb: NeedAction) => {
    const from = document.activeElement
    setBusy(true)
    setError(null)
    try {
      const asked = await VERBS[verb].question(need)
      if (asked !== null) {
        setBusy(false)
        return ask({ ...asked, from })
      }
      await (VERBS[verb].act?.(need) ?? decide(need, verb, {}))
      await renew(needsQuery.queryKey)
    } catch (caught) {
      setError(caught)
    }
    setBusy(false)
  }
  return (
    <div className="actions">
      {need.actions.map((verb) => {
        const { label, key, tone } = VERBS[verb]
        const yes = verb === 'accept' || verb === 'approve'
        const said = need.labels?.[verb] ?? label(need)
        if (verb === 'approve-draft')
          return (
            <Link key={verb} className="button primary" data-key={key} to="/elaborate/$id" params={{ id: need.id }}>
              {said}
            </Link>
          )
        const style = tone ?? (yes ? (need.reasonNeeded ? 'danger' : 'primary') : '')
        return (
          <button
            key={verb}
            type="button"
            className={style}
            data-key={key}
            disabled={busy}
            onClick={() => void act(verb)}
          >
            {said}
          </button>
        )
      })}
      {error === null ? null : <ProblemNote error={error} />}
    </div>
  )
}

function RejectText({ need: { id, draft } }: { need: Actionable }) {
  const comments = draft?.comments ?? []
  const left = draft === undefined && draftsOf(id).length > 0
  return (
    <>
      <p>Your text comes first in the author’s next prompt.</p>
      {left ? (
        <p className="note warn">
          Your comments on its diff are not included here. To include them, send the task back from its own page.
        </p>
      ) : null}
      {comments.length === 0 ? null : (
        <ul className="older" aria-label="Comments that are included">
          {comments.map(({ id, file, line, message }) => (
            <li key={id}>
              <code>
                <Text>{`${file}:${line}`}</Text>
              </code>{' '}
              <Prose>{message}</Prose>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
