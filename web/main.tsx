/** The entry point of the board. */
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/renew.ts'
import { enter } from './api/session.ts'
import { applyTheme } from './parts/theme.tsx'
import { router } from './router.tsx'
import './styles/base.css'
import './styles/parts.css'
import './styles/pages.css'
import './styles/stories.css'

applyTheme()
// A key that nobody takes, or a server that is gone: the page says so itself.
await enter().catch(() => undefined)
// A link that is opened where the board is open already changes nothing but this.
addEventListener('hashchange', () => {
  if (location.hash.startsWith('#key=')) location.reload()
})
const root = document.querySelector('#root')
if (root === null) throw new Error('the page has a root')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
