/** A change as git prints it, cut file by file to fit a page, so that one huge file does not hide the others. */

const patchCharsMax = 8_000_000
const patchFileCharsMax = 2_000_000

interface BoundPatch {
  patch: string
  /** The files that are not told to their end, by their place among all. */
  cut: number[]
  /** How many come after what is told. */
  leftOut: number
}

/** Lines of files begin with a sign; only git itself begins one with this word. */
const FILE = /^diff --(?:git|cc|combined) /gm

export function boundPatch(patch: string, fileMax = patchFileCharsMax, allMax = patchCharsMax): BoundPatch {
  if (patch.length <= fileMax) return { patch, cut: [], leftOut: 0 }
  const starts = [...patch.matchAll(FILE)].map(({ index }) => index)
  const parts: string[] = [patch.slice(0, starts[0] ?? 0)]
  const cut: number[] = []
  let chars = 0
  for (const [index, start] of starts.entries()) {
    const text = patch.slice(start, starts[index + 1])
    const room = Math.min(fileMax, allMax - chars)
    if (room <= 0) return { patch: parts.join(''), cut, leftOut: starts.length - index }
    const shown = text.length <= room ? text : `${text.slice(0, room).toWellFormed()}\n`
    if (text.length > room) cut.push(index)
    parts.push(shown)
    chars += shown.length
  }
  return { patch: parts.join(''), cut, leftOut: 0 }
}
