/** Quotes text of others in a prompt as data, between lines with an unguessable mark. Pure. */
import { visible } from '../../domain/display.ts'

export function between(what: string, text: string, { boundary }: { boundary: string }): string {
  return `===== ${what} ${boundary} begins =====\n${clean(text, boundary).trimEnd()}\n===== ${what} ${boundary} ends =====`
}

/** Hidden characters become visible, and no line can pass for one of ours. */
export function clean(text: string, boundary: string): string {
  return visible(text).replaceAll(boundary, '…')
}
