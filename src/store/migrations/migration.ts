/** One step from a schema to the next. */
export interface Migration {
  version: number
  statements: readonly string[]
}
