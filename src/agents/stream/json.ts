/** Reads JSON that a program printed without trusting its shape: a missing field is undefined. */

export type Fields = Readonly<Record<string, unknown>>

/** Null if the line is no JSON object. */
export function parseLine(line: string): Fields | null {
  if (!line.trimStart().startsWith('{')) return null
  try {
    return fieldsOf(JSON.parse(line))
  } catch {
    return null
  }
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

export function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : []
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** An id that may stand on a command line later: anything else is none. */
export function idOf(value: unknown): string {
  return /^\w[\w-]{0,99}$/.exec(textOf(value))?.[0] ?? ''
}

/** Counts are never negative and never missing. */
export function countOf(value: unknown): number {
  return Math.max(0, numberOf(value) ?? 0)
}
