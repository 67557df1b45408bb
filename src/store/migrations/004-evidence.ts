/** What commands said on a tree, by what that depends on: an unchanged tree need not be run again. */
import type { Migration } from './migration.ts'

export const evidence: Migration = {
  version: 4,
  statements: [`create table evidence (key text primary key, body text not null) strict`],
}
