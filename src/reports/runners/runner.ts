/** A test runner as Muster sees it: how to ask it for a report, given the words after its name in a command. */
import type { ReportFormat } from '../formats/report.ts'

/** A file of `helpers/` that goes into the run's folder, outside of the checkout, with the report's path written into it. */
export interface Helper {
  file: string
  /** Its name there, below the run's folder; a runner may look for one. */
  as: string
}

/** How one run of a runner is asked. What is left out stays as the command has it. */
export interface Ask {
  /** Where the report is: in files that begin with the given path, in files that the runner leaves by itself, or in what it prints. */
  from: 'file' | 'places' | 'output'
  format: ReportFormat
  /** Put behind the runner's name, or behind as many words more as `behind` says: its subcommand. */
  arguments?: readonly string[]
  behind?: number
  /** They take the place of that name and of as many words more. */
  instead?: true
  /** Variables for this command alone. They stand in double quotes: the shell replaces what begins with `$`. */
  env?: Readonly<Record<string, string>>
  /** The simple command with all that was added, and its redirections, as it is to be run. Null if those are in the way. */
  around?(command: string, redirections: string): string | null
  helper?: Helper
  /** Patterns of the files that it leaves, from where it runs. */
  places?: readonly string[]
  /** Other programs are called so too, or it may run no tests at all: without a report nothing follows. */
  unsure?: true
}

export type Words = readonly (string | null)[]

export interface Runner {
  /**
   * `words` follow its name (null: only the shell knows); `path` is where the report may be, absolute and outside of the
   * checkout. Null if the command does not run tests to an end, or has a report of its own that this would spoil.
   */
  ask(words: Words, path: string): Ask | null
}

export function known(words: Words): string[] {
  return words.filter((word) => word !== null)
}

/** With `--option value` written as `--option=value`. */
export function joinedOptions(words: Words, takes: RegExp): string[] {
  const joined: string[] = []
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '?'
    if (takes.test(word) && at + 1 < words.length) {
      at += 1
      joined.push(`${word}=${words[at] ?? '?'}`)
    } else joined.push(word)
  }
  return joined
}

/** A runner that is asked in one way, unless a word of the command says otherwise. */
export function plain(refuses: RegExp, ask: (path: string) => Ask): Runner {
  return { ask: (words, path) => (known(words).some((word) => refuses.test(word)) ? null : ask(path)) }
}

/** Beside the run's report. */
export function beside(path: string, name: string): string {
  return `${path.slice(0, path.lastIndexOf('/'))}/${name}`
}
