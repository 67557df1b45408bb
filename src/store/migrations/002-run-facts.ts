/** What is known about a run besides its outcome, as JSON. */
import type { Migration } from './migration.ts'

export const runFacts: Migration = {
  version: 2,
  statements: [`alter table runs add column facts text`],
}
