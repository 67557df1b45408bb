/**
 * Errors in the server's own words: what happened, and what to do next. Also what a page shows while it loads or is
 * empty.
 */
import type { ReactNode } from 'react'
import { ProblemError } from '../api/client.ts'
import { Text } from './text.tsx'

export function ProblemNote({
  error,
  onRetry,
  page = false,
}: {
  error: unknown
  onRetry?: (() => void) | undefined
  /** There is nothing else on the page. */
  page?: boolean
}) {
  const Title = page ? 'h1' : 'strong'
  const told = error instanceof ProblemError ? error.problem : null
  if (told?.code === 'unauthorized') return <Stranger />
  return (
    <div className="note bad" role="alert">
      <Title>{told?.title ?? 'This page failed to load'}</Title>
      <p>
        <Text>{told?.detail ?? String(error)}</Text>
      </p>
      {told?.hint === null || told === null ? null : (
        <p className="hint">
          <Text>{told.hint}</Text>
        </p>
      )}
      {onRetry === undefined ? null : (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  )
}

/** Who has no cookie yet, or an old one. */
function Stranger() {
  return (
    <div className="note" role="alert">
      <strong>You need a sign-in link</strong>
      <p>
        Open the link that <code>muster serve</code> prints: it works once, within ten minutes. If it is used up, run{' '}
        <code>muster serve</code> in the project again for a new one.
      </p>
    </div>
  )
}

/** `page`: there is nothing else on it. */
export function Empty({ title, page = false, children }: { title: string; page?: boolean; children: ReactNode }) {
  const Title = page ? 'h1' : 'h2'
  return (
    <div className="empty">
      <Title>{title}</Title>
      {children}
    </div>
  )
}

export function Command({ children }: { children: string }) {
  return <code className="command">{children}</code>
}

export function Loading({ what }: { what: string }) {
  return (
    <div className="loading" role="status">
      <span className="sr-only">Loading {what}…</span>
      <div className="bone" />
      <div className="bone" />
      <div className="bone" />
    </div>
  )
}
