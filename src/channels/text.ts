/**
 * A notice in words for people. Text from others is shown literally: nothing is hidden, and nothing acts on the
 * terminal.
 */
import { visible } from '../domain/display.ts'
import type { Notice } from '../ports/channel.ts'

interface Words {
  subject: string
  /** What happened, to what, and what to type about it. */
  lines: string[]
}

export function wordsOf({ subject, text, title, next }: Notice): Words {
  const said = visible(text).split('\n')
  const named = title === null ? [] : [`"${flat(title)}"`]
  return { subject: flat(subject), lines: [...said, ...named, ...next.map((command) => `→ ${flat(command)}`)] }
}

/** On one line, hidden characters written out. */
function flat(text: string): string {
  return visible(text).replace(/\s+/g, ' ').trim()
}
