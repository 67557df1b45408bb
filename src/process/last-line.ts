/** Watches output for its last line, with constant memory and at a readable pace. */
import { lastLineCharsMax } from '../domain/limits.ts'
import { forDisplay } from '../domain/display.ts'

/** Enough for the longest line shown, in UTF-8 and with some colour around it. */
const windowBytes = lastLineCharsMax * 8
const everyMs = 100

export function lineWatcher(onLine: (line: string) => void): { add(chunk: Buffer): void; close(): void } {
  let recent: Buffer = Buffer.alloc(0)
  let shown = ''
  let changed = false
  let timer: NodeJS.Timeout | undefined

  const show = (): void => {
    changed = false
    const line = lastLine(recent)
    if (line === '' || line === shown) return
    shown = line
    onLine(line)
  }
  const tick = (): void => {
    timer = undefined
    if (!changed) return
    show()
    timer = setTimeout(tick, everyMs)
  }
  return {
    add(chunk) {
      recent = Buffer.concat([recent, chunk.subarray(-windowBytes)]).subarray(-windowBytes)
      changed = true
      if (timer !== undefined) return
      show()
      timer = setTimeout(tick, everyMs)
    },
    close() {
      clearTimeout(timer)
      if (changed) show()
    },
  }
}

/** The last line that says something. */
export function lastLine(bytes: Buffer): string {
  const lines = forDisplay(wholeCharacters(bytes), { colours: false }).split('\n')
  const line = lines.findLast((text) => text.trim() !== '') ?? ''
  return line.replaceAll('\t', ' ').trim().slice(0, lastLineCharsMax).toWellFormed()
}

/** Without the end of a UTF-8 character that the cut went through. */
export function wholeCharacters(bytes: Buffer): Buffer {
  let start = 0
  while (start < 3 && start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1
  return bytes.subarray(start)
}
