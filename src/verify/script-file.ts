/**
 * The trusted text of a script, and where to run it. If the tree has the same text, that file runs. If not, Muster puts
 * the trusted text beside it under another name: a script finds the files around it relative to itself, and those must
 * be the judged tree's.
 */
import { createHash } from 'node:crypto'
import { posix } from 'node:path'

/** What the trusted side has. */
export interface Trusted {
  /** A file of the base by its path; null when it has none. */
  read(path: string): Promise<string | null>
  /** The paths of the base's files. */
  files(): Promise<readonly string[]>
  /** The user's own file of that path, in case it is not committed: its whole path, and its text if it is one. */
  own(path: string): Promise<{ at: string; text: string | null } | null>
  /** Whether the tree that is judged has something else there than the base. */
  changed(path: string): boolean
}

export interface Placed {
  /** From the top of the checkout; a whole path for what is no text and stays where it is. */
  path: string
  text: string
}

export interface ScriptFile {
  /** Where the base has it: behind a link it is elsewhere. */
  path: string
  text: string
  /** Null: it runs in its place. */
  placed: Placed | null
}

const linksMax = 5

/** Null when the trusted side has no such script: then it is the work's own. */
export async function scriptFile(path: string, trusted: Trusted, links = 0): Promise<ScriptFile | null> {
  const text = await trusted.read(path)
  if (text === null) return ownFile(path, trusted)
  const target = linkTarget(path, text)
  const behind = target === null || links >= linksMax ? null : await scriptFile(target, trusted, links + 1)
  if (behind !== null) return behind
  // A project's tests change with its work: they run as they are, and that they changed is for a person to see.
  const inPlace = !trusted.changed(path) || isTest(path)
  return { path, text, placed: inPlace ? null : beside(path, text) }
}

async function ownFile(path: string, { own }: Trusted): Promise<ScriptFile | null> {
  const file = await own(path)
  if (file === null) return null
  const text = file.text ?? ''
  return { path, text, placed: file.text === null ? { path: file.at, text } : beside(path, text) }
}

function beside(path: string, text: string): Placed {
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12)
  return { path: posix.join(posix.dirname(path), `.muster-${digest}-${posix.basename(path)}`), text }
}

/** git keeps a link as a text that is nothing but a path. */
function linkTarget(path: string, text: string): string | null {
  if (text === '' || text.length > 500 || /[\n\0]/.test(text) || posix.isAbsolute(text)) return null
  const target = posix.normalize(posix.join(posix.dirname(path), text))
  return target.startsWith('../') || target === path ? null : target
}

export function isTest(path: string): boolean {
  return (
    /(?:^|\/)(?:tests?|specs?|__tests__)\//i.test(path) || /(?:^|[/._-])(?:tests?|specs?)(?:[._-][^/]*)?$/i.test(path)
  )
}
