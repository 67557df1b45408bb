/** The two plainest kinds of act: reading what is not the worker's, and leaving something that others trust. */
import { existsSync, readFileSync } from 'node:fs'
import type { Act } from '../escape.ts'

/** Prints a file that has a text of its own. */
export function reads(id: string, path: string, says: string, more: Partial<Act> = {}): Act {
  return { id, says, secret: path, snippet: `cat "${path}"`, ...more }
}

/** Adds a line to a file, which need not be there. */
export function plants(id: string, path: string, says: string, more: Partial<Act> & { line?: string } = {}): Act {
  const { line = '# $MARK', ...rest } = more
  return {
    id,
    says,
    snippet: `mkdir -p "$(dirname "${path}")"; printf '%s\\n' "${line}" >>"${path}"`,
    look: (seen) => textAt(seen.at(path)).includes(seen.mark),
    ...rest,
  }
}

export function textAt(path: string): string {
  return existsSync(path) ? readFileSync(path, 'latin1') : ''
}
