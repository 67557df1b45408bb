/** Ids that people type: how Muster makes, orders and finds them. */
import { MusterError } from './errors.ts'
import { idCharsMax } from './limits.ts'

/** Lower-case words joined by hyphens; what a story's key is made of when the plan gives none. */
export function slug(text: string, charsMax = 40): string {
  const words = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
  let out = ''
  for (const word of words) {
    const next = out === '' ? word : `${out}-${word}`
    if (next.length > charsMax) break
    out = next
  }
  return out || (words[0] ?? '').slice(0, charsMax) || 'story'
}

/** Ids become branch names and folder names, so they keep to letters, digits, dot, hyphen and underscore. */
export function isId(text: string): boolean {
  return (
    /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9_-])?$/.test(text) &&
    text.length <= idCharsMax &&
    !text.includes('..') &&
    !text.endsWith('.lock')
  )
}

/**
 * A key whose plain string order is the natural order of ids: `task-2` before `task-10`. Each run of digits is written
 * without leading zeros behind one character that says how long it is; the id itself breaks ties (`01` and `1`).
 */
export function naturalKey(id: string): string {
  const key = id.toLowerCase().replace(/\d+/g, (digits) => {
    const plain = digits.replace(/^0+(?=\d)/, '')
    return `0${String.fromCharCode(0x30 + plain.length)}${plain}`
  })
  return `${key} ${id}`
}

export function compareNatural(a: string, b: string): number {
  const [x, y] = [naturalKey(a), naturalKey(b)]
  return x < y ? -1 : x > y ? 1 : 0
}

/**
 * The id that a person means by `wanted`: itself, or the only one that ends with it after a hyphen or dot, or the only
 * one that ends with it at all.
 */
export function resolveId(
  wanted: string,
  candidates: readonly string[],
  noun: string,
  hint = 'muster status lists them',
): string {
  if (candidates.includes(wanted)) return wanted
  const parted = candidates.filter((id) => id.endsWith(`-${wanted}`) || id.endsWith(`.${wanted}`))
  const found = parted.length > 0 || wanted === '' ? parted : candidates.filter((id) => id.endsWith(wanted))
  return theOnly(wanted, found, noun, hint)
}

/** The id that a person means by any part of it. */
export function resolvePart(wanted: string, candidates: readonly string[], noun: string, hint: string): string {
  if (candidates.includes(wanted)) return wanted
  const found = wanted === '' ? [] : candidates.filter((id) => id.toLowerCase().includes(wanted.toLowerCase()))
  return theOnly(wanted, found, noun, hint)
}

function theOnly(wanted: string, found: readonly string[], noun: string, hint: string): string {
  if (found.length === 1 && found[0] !== undefined) return found[0]
  if (found.length === 0) {
    throw new MusterError('not_found', `there is no ${noun} "${wanted}"`, { hint })
  }
  const shown = [...found].sort(compareNatural).slice(0, 5).join(', ')
  const more = found.length > 5 ? ` and ${found.length - 5} more` : ''
  throw new MusterError('usage', `"${wanted}" matches more than one ${noun}: ${shown}${more}`, {
    hint: 'type more of the id',
  })
}
