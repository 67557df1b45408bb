/**
 * Renews outdated data: one request at a time for each query, and one more if something happened in the meantime.
 * Otherwise, events that arrive faster than answers would prevent any answer from being shown, or an answer from before
 * an event would count as newer than it.
 */
import type { QueryKey } from '@tanstack/react-query'
import { QueryClient } from '@tanstack/react-query'
import { ProblemError } from './client.ts'

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // Muster is on this machine: it answers without any network, too.
      networkMode: 'always',
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      retry: (failures, error) => failures < 2 && error instanceof ProblemError && error.problem.status >= 500,
    },
  },
})

const turns = new Map<string, { again: boolean }>()

/** Everything below this key: at once where it is shown, elsewhere when somebody looks. */
export async function renew(queryKey: QueryKey): Promise<void> {
  const name = JSON.stringify(queryKey)
  const now = turns.get(name)
  if (now !== undefined) return void (now.again = true)
  const turn = { again: true }
  turns.set(name, turn)
  while (turn.again) {
    turn.again = false
    // What has no answer yet would not be asked for again: its first answer may be older than what happened.
    const first = queryClient.getQueryCache().findAll({ queryKey, predicate: ({ state }) => state.data === undefined })
    await Promise.allSettled(first.map(async ({ promise }) => promise))
    await queryClient.invalidateQueries({ queryKey })
  }
  turns.delete(name)
}
