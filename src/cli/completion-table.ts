/** The data of the completion scripts: the commands, their options, and the values that each takes. */
/** What can stand somewhere: words of a list, something that Muster knows, or files; null: whatever people write. */
export type Kind = { words: readonly string[] } | 'tasks' | 'stories' | 'files' | 'folders' | null

export interface OptionWords {
  /** `-m` and `--message`. */
  names: string[]
  description: string
  /** Absent: it takes no value. */
  value?: Kind
}

interface CommandWords {
  name: string
  description: string
  args: Kind[]
  options: OptionWords[]
}

export interface Table {
  options: OptionWords[]
  commands: CommandWords[]
}
