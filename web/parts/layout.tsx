/** The frame of every page: the menu, whether the page is live, and how many things need the person. */
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet } from '@tanstack/react-router'
import { useEffect, useSyncExternalStore } from 'react'
import { ProblemError } from '../api/client.ts'
import { connection, listen } from '../api/live.ts'
import { needsQuery, renewLines, takeEvents } from '../api/queries.ts'
import { queryClient, renew } from '../api/renew.ts'
import { AskHost } from './dialog.tsx'
import { Keys } from './keys.tsx'
import { PLACES } from './places.ts'
import { ThemeChoice } from './theme.tsx'

export const useConnection = () => useSyncExternalStore(connection.subscribe, connection.get)

export function Layout() {
  useEffect(
    () =>
      listen({
        onLive: (fresh) => {
          // What was asked before the first stream, or failed without a server, may be old.
          if (fresh) return void renew([])
          void queryClient.invalidateQueries({ predicate: ({ state }) => state.error !== null })
          void renewLines([])
          // News are stored nowhere: nobody tells them again.
          void renew(needsQuery.queryKey)
        },
        onEvents: takeEvents,
        onNews: () => void renew(needsQuery.queryKey),
      }),
    [],
  )
  const live = useConnection()
  const { data, error } = useQuery(needsQuery)
  const needs = data?.items.length ?? 0
  // The page tells those who are not signed in; the server is not gone.
  const stranger = error instanceof ProblemError && error.problem.code === 'unauthorized'
  return (
    <div className="app">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="side">
        <div className="brand">
          <Mark /> Muster
        </div>
        <nav aria-label="Pages">
          {PLACES.map(({ name, to, key }) => (
            <Link key={to} to={to} activeOptions={{ exact: to === '/' }}>
              {name}
              {to === '/' && needs > 0 ? (
                <span className="count">
                  {needs}
                  <span className="sr-only"> waiting</span>
                </span>
              ) : (
                <kbd aria-hidden="true">g {key}</kbd>
              )}
            </Link>
          ))}
        </nav>
        <div className="foot">
          <span className={`live ${live}`} role="status">
            <span aria-hidden="true">{live === 'live' ? '●' : '○'}</span>{' '}
            {live === 'live' ? 'live' : live === 'stale' ? 'not connected' : 'connecting'}
          </span>
          <Keys />
          <ThemeChoice />
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {live === 'stale' && !stranger ? (
          <div className="stale" role="alert">
            <strong>Not connected to Muster.</strong> What you see may be out of date. Trying again. If Muster was
            stopped, start it with <code>muster serve</code>
          </div>
        ) : null}
        <Outlet />
      </main>
      <AskHost />
    </div>
  )
}

function Mark() {
  return (
    <svg viewBox="0 0 32 32" width="18" height="18" aria-hidden="true">
      <circle cx="16" cy="16" r="13" fill="none" stroke="currentColor" strokeWidth="3" />
      <path d="M10 16.5l4.2 4.2L22.5 12" fill="none" stroke="currentColor" strokeWidth="3" />
    </svg>
  )
}

/** The page's name in the window's title, after how many things wait. */
export function useTitle(title: string): void {
  const needs = useQuery(needsQuery).data?.items.length ?? 0
  useEffect(() => {
    document.title = `${needs === 0 ? '' : `(${needs}) `}${title} · Muster`
  }, [title, needs])
}
