/**
 * The queries of the pages, by key, and which of them each event makes outdated. Nothing is requested again without a
 * reason.
 */
import { queryOptions } from '@tanstack/react-query'
import { at, get, getText } from './client.ts'
import { aboutTask } from './live.ts'
import { queryClient, renew } from './renew.ts'
import type { Card, Line, StoredEvent, Story, Task } from './types.ts'

const pageTasks = 500
const cardsAtOnce = 100
/** Cards that scroll by faster than this are not asked for. */
const restMs = 50
const figuresMs = 1000

export const needsQuery = queryOptions({ queryKey: ['needs'], queryFn: () => get('Needs', '/api/needs') })
/** How the project is set up: asked once. */
export const notesQuery = queryOptions({
  queryKey: ['notes'],
  queryFn: () => get('Notes', '/api/notes'),
  staleTime: Infinity,
})
/** Archived ones, too. */
export const allStoriesQuery = queryOptions({
  queryKey: ['stories'],
  queryFn: async () => {
    const stories: Story[] = []
    for (let next: string | null = ''; next !== null;) {
      const after = next === '' ? '' : `&after=${encodeURIComponent(next)}`
      const page: { items: Story[]; next: string | null } = await get(
        'StoryPage',
        `/api/stories?all=true&limit=500${after}`,
      )
      stories.push(...page.items)
      next = page.next
    }
    return stories
  },
})
export const storiesQuery = queryOptions({
  ...allStoriesQuery,
  select: (stories: Story[]) => stories.filter(({ archived }) => !archived),
})
export const taskQuery = (id: string) =>
  queryOptions({ queryKey: ['task', id, 'task'], queryFn: () => get('Task', at`/api/tasks/${id}`) })
export const explainQuery = (id: string) =>
  queryOptions({ queryKey: ['task', id, 'explain'], queryFn: () => get('Explanation', at`/api/tasks/${id}/explain`) })
export const attemptsQuery = (id: string) =>
  queryOptions({
    queryKey: ['task', id, 'attempts'],
    queryFn: async () => (await get('Attempts', at`/api/tasks/${id}/attempts`)).items,
  })
export const draftQuery = (id: string) =>
  queryOptions({ queryKey: ['task', id, 'draft'], queryFn: () => get('Draft', at`/api/drafts/${id}`) })

/** It is the same until there is another result: events alone do not make it old. `show`: `attempt=1`, `since=1` or nothing. */
export const changesQuery = ({ id, commit, status }: Task, show: string) =>
  queryOptions({
    queryKey: ['changes', id, commit, status, show],
    queryFn: () => get('Changes', `${at`/api/tasks/${id}/diff`}${show === '' ? '' : `?${show}`}`),
  })
/** That of a run which has only just begun is not written yet: it is asked for a few times. */
export const promptQuery = (run: string, begun: boolean) =>
  queryOptions({
    queryKey: ['prompt', run, begun],
    queryFn: () => getText(at`/api/attempts/${run}/prompt`),
    retry: (failures) => begun && failures < 10,
    retryDelay: 500,
  })
/** The end of what a command of a verification printed; `log` as its evidence has it. */
export const excerptQuery = (log: string) =>
  queryOptions({
    queryKey: ['excerpt', log],
    queryFn: () => {
      const [run = '', part = ''] = log.split('/')
      return getText(at`/api/attempts/${run}/log?part=${part}`)
    },
  })
export const shipQuery = (id: string) =>
  queryOptions({
    queryKey: ['story', id, 'ship'],
    queryFn: () => get('Shipping', at`/api/stories/${id}/ship`),
    // Branches move without an event, too.
    refetchOnWindowFocus: 'always',
  })
/** The tasks of a story, as lines. */
export const storyLinesQuery = (id: string) =>
  queryOptions({
    queryKey: ['story', id, 'lines'],
    queryFn: () => allLines(`&story=${encodeURIComponent(id)}`),
  })
/** What is under way, as far as one page of it goes. */
export const openLinesQuery = queryOptions({
  queryKey: ['stories', 'open'],
  queryFn: async () => (await get('TaskPage', `/api/tasks?open&limit=${pageTasks}`)).items,
})

async function allLines(filter: string): Promise<Map<string, Line>> {
  const lines = new Map<string, Line>()
  for (let next: string | null = ''; next !== null;) {
    const after = next === '' ? '' : `&after=${encodeURIComponent(next)}`
    const page: { items: Line[]; next: string | null } = await get(
      'TaskPage',
      `/api/tasks?limit=${pageTasks}${filter}${after}`,
    )
    for (const line of page.items) lines.set(line.id, line)
    next = page.next
  }
  return lines
}

/** Every task there is, as a line: a page after the other, since a board shows them all. */
export const linesQuery = queryOptions({
  queryKey: ['lines'],
  queryFn: () => allLines(''),
})

/** What a card shows beyond its line; asked for together with the other cards that come into sight. */
export const cardQuery = (id: string) =>
  queryOptions({ queryKey: ['card', id], queryFn: ({ signal }) => loadCard(id, signal) })

interface Wanted extends PromiseWithResolvers<Card | null> {
  /** It went out of sight. */
  signal: AbortSignal
}

let wanted = new Map<string, Wanted>()
let loading: number | undefined

/** Together with the others that are wanted meanwhile. */
function loadCard(id: string, signal: AbortSignal): Promise<Card | null> {
  const one: Wanted = { ...(wanted.get(id) ?? Promise.withResolvers<Card | null>()), signal }
  wanted.set(id, one)
  loading ??= window.setTimeout(() => void loadWanted(), restMs)
  return one.promise
}

async function loadWanted(): Promise<void> {
  loading = undefined
  const all = [...wanted].filter(([, { signal }]) => !signal.aborted)
  wanted = new Map()
  for (let from = 0; from < all.length; from += cardsAtOnce) {
    const some = all.slice(from, from + cardsAtOnce)
    try {
      const cards = await cardsOf(some.map(([id]) => id))
      for (const [id, { resolve }] of some) resolve(cards.get(id) ?? null)
    } catch (error) {
      for (const [, { reject }] of some) reject(error)
    }
  }
}

async function cardsOf(ids: readonly string[]): Promise<Map<string, Card>> {
  const { items } = await get('Cards', `/api/cards?ids=${ids.map(encodeURIComponent).join(',')}`)
  return new Map(items.map((card) => [card.id, card]))
}

/** What is done for a story as a whole is about the story. */
const aboutStory = ({ task, story }: StoredEvent): string | null =>
  story ?? /^(.+)\.(?:ship|deferred|validation)\.\d+$/.exec(task ?? '')?.[1] ?? null

export function takeEvents(events: readonly StoredEvent[]): void {
  const tasks = new Set(events.flatMap(({ task }) => (task === null ? [] : [aboutTask(task)])))
  for (const id of tasks) void renew(['task', id])
  void renew(['needs'])
  void renew(['stories'])
  for (const id of new Set(events.map(aboutStory))) if (id !== null) void renew(['story', id])
  void renewLines(tasks)
  renewFigures()
}

let figures: number | undefined

/** Figures of everything are added up anew at most so often, however much happens. */
function renewFigures(): void {
  figures ??= window.setTimeout(() => {
    figures = undefined
    void renew(['insights'])
  }, figuresMs)
}

const old = new Set<string>()
let renewing = false

/**
 * Cards of tasks that moved, whether in sight or not: each stands in the column it has earned. One turn at a time, so that
 * no answer overtakes a newer one; those that could not be had are old still.
 */
export async function renewLines(ids: Iterable<string>): Promise<void> {
  for (const id of ids) old.add(id)
  if (renewing) return
  renewing = true
  try {
    while (old.size > 0) {
      // A list that is being loaded may be older than what made these old.
      await queryClient
        .getQueryCache()
        .find(linesQuery)
        ?.promise?.catch(() => undefined)
      const some = [...old]
      old.clear()
      await renewCards(some).catch((error: unknown) => {
        for (const id of some) old.add(id)
        throw error
      })
    }
  } catch {
    // Again with the next event, or when there is a server again.
  } finally {
    renewing = false
  }
}

async function renewCards(ids: readonly string[]): Promise<void> {
  const known = queryClient.getQueryData(linesQuery.queryKey)
  if (known === undefined) return void ids.map((id) => renew(cardQuery(id).queryKey))
  const moved = new Set(ids)
  // Who waited for one of them may wait no longer.
  for (const { id, status, dependsOn } of known.values()) {
    if (status === 'not-started' && dependsOn.some((one) => moved.has(one))) moved.add(id)
  }
  const all = [...moved]
  const cards: Card[] = []
  for (let from = 0; from < all.length; from += cardsAtOnce) {
    cards.push(...(await cardsOf(all.slice(from, from + cardsAtOnce))).values())
  }
  // What is being asked for is older than these.
  await queryClient.cancelQueries({ predicate: ({ queryKey: [kind, id] }) => kind === 'card' && moved.has(String(id)) })
  for (const card of cards) queryClient.setQueryData(cardQuery(card.id).queryKey, card)
  queryClient.setQueryData(linesQuery.queryKey, (lines) => {
    if (lines === undefined) return lines
    const renewed = new Map(lines)
    for (const card of cards) renewed.set(card.id, card)
    return renewed
  })
}
