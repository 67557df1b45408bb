/**
 * All routes of the API. openapi.json beside package.json describes them: `node src/server/http/routes.ts > openapi.json`
 * writes it anew.
 */
import { openApi } from './openapi.ts'
import type { Route } from './route.ts'
import { attemptRoutes } from './routes/attempts.ts'
import { projectRoutes } from './routes/project.ts'
import { shippingRoutes } from './routes/shipping.ts'
import { storyRoutes } from './routes/stories.ts'
import { taskRoutes } from './routes/tasks.ts'
import { webhookRoutes } from './routes/webhooks.ts'

export const ROUTES: readonly Route[] = [
  ...taskRoutes,
  ...attemptRoutes,
  ...storyRoutes,
  ...shippingRoutes,
  ...projectRoutes,
  ...webhookRoutes,
]

if (import.meta.main) process.stdout.write(`${JSON.stringify(openApi(ROUTES), null, 2)}\n`)
