import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { appendDurably, readAppended, readDurable, writeDurably, writeObject } from './durable.ts'

let dir: string
let file: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'muster-durable-'))
  file = join(dir, 'a.json')
})
afterEach(() => rmSync(dir, { recursive: true }))

test('F-1 what is written is read, for its owner alone, and nothing else stays beside it', async () => {
  await Promise.all(Array.from({ length: 20 }, (_, n) => writeDurably(file, { n })))
  await writeDurably(file, { text: 'line\nline', deep: { none: null } })
  expect(readDurable(file)).toEqual({ text: 'line\nline', deep: { none: null } })
  expect(readdirSync(dir)).toEqual(['a.json'])
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('F-1 a torn, emptied, zeroed or changed file is missing, wherever it was cut', async () => {
  await writeDurably(file, { task: 's-1', leaveOut: ['a', 'b'], n: 17 })
  const whole = readFileSync(file)
  const [text = ''] = whole.toString().split('\n')
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 1), fc.constantFrom('cut', 'zeros', 'flip'), async (at, how) => {
      const bytes = Buffer.from(whole)
      if (how === 'zeros') bytes.fill(0, at)
      if (how === 'flip') bytes[at] = (bytes[at] ?? 0) ^ 1
      writeFileSync(file, how === 'cut' ? bytes.subarray(0, at) : bytes)
      const read = readDurable(file)
      // Where the checksum alone is gone as a whole, or the end of its line, nothing of the text is.
      const fine = how === 'cut' && [text.length, text.length + 1, whole.length - 1].includes(at)
      expect(read).toEqual(fine ? JSON.parse(text) : null)
    }),
  )
})

test('S1.13 what a kill leaves of an object has a name that git takes away', async () => {
  // A folder stands in its place, so that it gets no further than its half, whose name the error tells.
  mkdirSync(join(file, 'taken'), { recursive: true })
  const half = join(dir, 'tmp_obj_')
  await expect(writeObject(file, Buffer.from('x'))).rejects.toThrow(`'${half}`)
  expect(readdirSync(dir)).toEqual(['a.json'])
})

test.each(['', '{', 'null', '1', '"text"', '[', '\0\0\0'])('what is no object is missing: %j', (text) => {
  writeFileSync(file, text)
  expect(readDurable(file)).toBe(null)
})

test('one of an older Muster, without a checksum, is read', () => {
  writeFileSync(file, '{"code":0}')
  expect(readDurable(file)).toEqual({ code: 0 })
  expect(readDurable(join(dir, 'none.json'))).toBe(null)
})

describe('lines at the end of a file', () => {
  test('are read from where one stopped, and half a line or a changed one is none', async () => {
    const path = join(dir, 'lines.log')
    expect(await readAppended(path, 0)).toEqual({ lines: [], end: 0, first: '' })
    await appendDurably(path, { n: 1 })
    const { end } = await readAppended(path, 0)
    await appendDurably(path, { n: 2, text: 'a\nb' })
    expect((await readAppended(path, end)).lines).toEqual([{ n: 2, text: 'a\nb' }])
    // Shorter than what was read: another file, read as a whole.
    expect((await readAppended(path, 10_000)).lines).toHaveLength(2)
    appendFileSync(path, 'torn off in the middle of its che')
    expect((await readAppended(path, 0)).lines).toHaveLength(2)
    writeFileSync(path, readFileSync(path, 'utf8').replace('"n":1', '"n":7'))
    expect((await readAppended(path, 0)).lines).toEqual([{ n: 2, text: 'a\nb' }])
  })

  test('that come after half a line are not lost with it', async () => {
    const path = join(dir, 'torn.log')
    await appendDurably(path, { n: 1 })
    appendFileSync(path, '0123')
    await appendDurably(path, { n: 2 })
    expect((await readAppended(path, 0)).lines).toEqual([{ n: 1 }, { n: 2 }])
  })
})
