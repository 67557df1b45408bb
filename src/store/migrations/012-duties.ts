/** What the role of an agent's run did when it ran; null for runs from before, whose role's name says it. */
import type { Migration } from './migration.ts'

export const duties: Migration = {
  version: 12,
  statements: [`alter table runs add column does text`],
}
