/** The pages by address. Each is loaded when it is opened; filters and tabs are part of the address. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { Empty, Loading, ProblemNote } from './parts/problem.tsx'
import { Layout } from './parts/layout.tsx'
import { part } from './parts/part.tsx'

const root = createRootRoute({
  component: Layout,
  notFoundComponent: () => (
    <Empty page title="There is no such page">
      <p>The menu lists all pages.</p>
    </Empty>
  ),
  errorComponent: ({ error }) => <ProblemNote page error={error} />,
})

/** An address that somebody wrote by hand says `text=30` where the router itself would say `text="30"`. */
const word = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) || undefined : undefined

export interface BoardFilter {
  story?: string | undefined
  stage?: string | undefined
  agent?: string | undefined
  text?: string | undefined
}

export interface TaskSearch {
  tab?: string | undefined
  /** The run whose log or prompt is shown. */
  attempt?: string | undefined
  /** Of the diff: `attempt=1` or `since=1`. */
  show?: string | undefined
}

export const needsRoute = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(part(() => import('./pages/needs.tsx'), 'NeedsPage')),
})

export const boardRoute = createRoute({
  getParentRoute: () => root,
  path: '/board',
  validateSearch: ({ story, stage, agent, text }): BoardFilter => ({
    story: word(story),
    stage: word(stage),
    agent: word(agent),
    text: word(text),
  }),
  component: lazyRouteComponent(part(() => import('./pages/board.tsx'), 'BoardPage')),
})

export const taskRoute = createRoute({
  getParentRoute: () => root,
  path: '/tasks/$id',
  validateSearch: ({ tab, attempt, show }): TaskSearch => ({
    tab: word(tab),
    attempt: word(attempt),
    show: word(show),
  }),
  component: lazyRouteComponent(part(() => import('./pages/task.tsx'), 'TaskPage')),
})

export const insightsRoute = createRoute({
  getParentRoute: () => root,
  path: '/insights',
  validateSearch: ({ story }): { story?: string | undefined } => ({ story: word(story) }),
  component: lazyRouteComponent(part(() => import('./pages/insights.tsx'), 'InsightsPage')),
})

export const storiesRoute = createRoute({
  getParentRoute: () => root,
  path: '/stories',
  component: lazyRouteComponent(part(() => import('./pages/stories.tsx'), 'StoriesPage')),
})

export const storyRoute = createRoute({
  getParentRoute: () => root,
  path: '/stories/$id',
  component: lazyRouteComponent(part(() => import('./pages/story.tsx'), 'StoryPage')),
})

export const elaborateRoute = createRoute({
  getParentRoute: () => root,
  path: '/elaborate',
  component: lazyRouteComponent(part(() => import('./pages/elaborate.tsx'), 'ElaboratePage')),
})

export const draftRoute = createRoute({
  getParentRoute: () => root,
  path: '/elaborate/$id',
  component: lazyRouteComponent(part(() => import('./pages/draft.tsx'), 'DraftPage')),
})

export const router = createRouter({
  routeTree: root.addChildren([
    needsRoute,
    boardRoute,
    taskRoute,
    storiesRoute,
    storyRoute,
    elaborateRoute,
    draftRoute,
    insightsRoute,
  ]),
  // Within the page: the menu stays.
  defaultErrorComponent: ({ error }) => <ProblemNote page error={error} />,
  defaultPendingComponent: () => <Loading what="the page" />,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
