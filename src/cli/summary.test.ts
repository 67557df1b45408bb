/** What `muster run` says to type about what waits. */
import { expect, test } from 'vitest'
import type { TaskView } from '../engine/views.ts'
import { summaryText } from './summary.ts'

test.each([
  ["a person's decision (human-approval)", 'muster accept s-1   muster reject s-1'],
  ['a person to review it', 'muster accept s-1   muster reject s-1'],
  // Not held: there is nothing to retry, and nothing to accept.
  ['somebody to mend this: the token in GITHUB_TOKEN may not do this', 'then: muster run'],
  ['a review of 0123456789ab: https://github.com/acme/shop/pull/1', 'then: muster run'],
])('what answers %j is named', (waitingFor, answer) => {
  const task = { id: 's-1', status: 'in-progress', stage: 'review', waitingFor } as TaskView
  const rest = { interrupted: false, paused: false, nothingToDo: false, unsaved: 0, limited: [] }
  expect(summaryText({ story: null, tasks: [task], ...rest })).toContain(`muster diff s-1   ${answer}`)
})
