/** Checks that this process may open enough files at once. */
import { readFileSync } from 'node:fs'
import { MusterError } from '../domain/errors.ts'

/** Git, agents and pipes take some fifty even where one task runs alone. */
const descriptorsMin = 64

export function requireDescriptors(limit = descriptorLimit()): void {
  if (limit === null || limit >= descriptorsMin) return
  throw new MusterError(
    'config',
    `this terminal allows a process only ${limit} open files; Muster needs ${descriptorsMin}`,
    {
      hint: 'ulimit -n 1024, then run the command again',
    },
  )
}

/** Null where nobody tells, or where there is no limit. */
function descriptorLimit(): number | null {
  try {
    const found = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))
    return found === null ? null : Number(found[1])
  } catch {
    return null
  }
}
