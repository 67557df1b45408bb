/** How much there is to read: lines of code, of comments, and blank ones. */
import type { Source } from './sources.ts'

const linesMax = 300

export interface Tally {
  code: number
  comments: number
  blank: number
}

/** A line with code and a comment is code. */
export function tallyOf(house: readonly Source[]): Tally {
  const tally: Tally = { code: 0, comments: 0, blank: 0 }
  for (const { text, code } of house) {
    const bare = linesOf(code)
    for (const [index, line] of linesOf(text).entries()) {
      if (line.trim() === '') tally.blank += 1
      else if (bare[index]?.trim() === '') tally.comments += 1
      else tally.code += 1
    }
  }
  return tally
}

export function longFiles(house: readonly Source[]): string[] {
  return house
    .map(({ path, text }) => ({ path, lines: linesOf(text).length }))
    .filter(({ lines }) => lines > linesMax)
    .map(({ path, lines }) => `${path} ${lines}`)
}

const linesOf = (text: string): string[] => text.trimEnd().split('\n')
