/** Cuts output into lines as it arrives. Lines longer than any event are dropped, so that memory stays bounded. */
import { StringDecoder } from 'node:string_decoder'
import { eventLineCharsMax } from '../../domain/limits.ts'

interface LineSplitter {
  /** The lines that are complete now. */
  add(chunk: Buffer): string[]
  /** What came after the last line break. */
  rest(): string[]
}

export function lineSplitter(charsMax = eventLineCharsMax): LineSplitter {
  const decoder = new StringDecoder('utf8')
  let parts: string[] = []
  let chars = 0
  const flush = (): string[] => {
    const line = chars > 0 && chars <= charsMax ? [parts.join('')] : []
    parts = []
    chars = 0
    return line
  }
  const append = (text: string): void => {
    chars += text.length
    if (chars > charsMax) parts = []
    else if (text !== '') parts.push(text)
  }
  return {
    add(chunk) {
      const pieces = decoder.write(chunk).split('\n')
      const last = pieces.pop() ?? ''
      const lines = pieces.flatMap((piece) => {
        append(piece)
        return flush()
      })
      append(last)
      return lines
    },
    rest() {
      append(decoder.end())
      return flush()
    },
  }
}
