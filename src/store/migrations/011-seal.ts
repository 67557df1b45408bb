/** The seal of the history. Nothing changes but the number: a Muster that knows no seal would add events without it. */
import type { Migration } from './migration.ts'

export const seal: Migration = { version: 11, statements: [] }
