import { appendFileSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { COMMAND_FILE, commandFolder } from '../domain/run.ts'
import { tempDir } from './fixtures/temp.ts'
import { followLog, outputTail, readLog } from './log-read.ts'
import { openLog } from './log.ts'

const small = { headBytes: 10, tailBytes: 6 }

async function logged(dir: string, chunks: (string | Buffer)[], options: Parameters<typeof openLog>[1] = small) {
  const log = openLog(dir, options)
  for (const chunk of chunks) await log.write(Buffer.from(chunk))
  await log.close()
}

test('a short log is kept as it is, byte for byte, UTF-8 or not', async () => {
  const dir = tempDir()
  const bytes = Buffer.from([0x61, 0xff, 0x0a, 0x00, 0xc3])
  await logged(dir, [bytes])
  expect(await readLog(dir)).toEqual(bytes)
  expect(existsSync(join(dir, 'log.tail.0'))).toBe(false)
})

test.each([
  ['nothing is left out while the segments hold it', '0123456789abcdefABCDEF', '0123456789abcdefABCDEF'],
  ['one segment has been reused', '0123456789abcdefABCDEFg', '0123456789\n… 6 bytes left out …\nABCDEFg'],
  ['many times', `0123456789${'x'.repeat(60)}abcdefgh`, '0123456789\n… 60 bytes left out …\nabcdefgh'],
  ['the head ends a line', `012345678\n${'x'.repeat(12)}tail`, '012345678\n… 6 bytes left out …\nxxxxxxtail'],
])('keeps the first and the last bytes: %s', async (_, written, kept) => {
  const whole = tempDir()
  await logged(whole, [written])
  expect((await readLog(whole)).toString()).toBe(kept)
  const bytewise = tempDir()
  await logged(bytewise, written.split(''))
  expect((await readLog(bytewise)).toString()).toBe(kept)
})

test('takes no more room on disk than its parts may have', async () => {
  const dir = tempDir()
  await logged(
    dir,
    Array.from({ length: 200 }, () => Buffer.alloc(1000, 'x')),
    { headBytes: 5000, tailBytes: 3000 },
  )
  const sizes = ['log', 'log.tail.0', 'log.tail.1'].map((name) => statSync(join(dir, name)).size)
  expect(sizes[0]).toBe(5000)
  expect(Math.max(...sizes.slice(1))).toBeLessThan(3100)
})

test('a new log does not show the end of an older one', async () => {
  const dir = tempDir()
  await logged(dir, ['0123456789 and much more'])
  await logged(dir, ['new'])
  expect((await readLog(dir)).toString()).toBe('new')
})

test('there is no output of a run without a log', async () => {
  expect(await outputTail(tempDir(), 100)).toBe('')
  expect((await readLog(tempDir())).length).toBe(0)
})

test('the tail for findings is safe to show, bounded and cut between characters', async () => {
  const dir = tempDir()
  await logged(dir, [`${'é'.repeat(50)}\u001b[31mred\u001b]0;x\u0007 end\n\n`], { headBytes: 7, tailBytes: 100 })
  expect(await outputTail(dir, 20)).toBe(`${'é'.repeat(13)}red end`)
  expect(await outputTail(dir, 1000)).toBe(`${'é'.repeat(50)}red end`)
})

test('the last line is told: complete or not, safe, without colours, capped', async () => {
  const lines: string[] = []
  const onLine = (line: string): void => void lines.push(line)
  await logged(tempDir(), ['first\n'], { onLine })
  await logged(tempDir(), ['a\nhalf a \u001b[31mline'], { onLine })
  await logged(tempDir(), ['10%\r50%\r', '\n\n'], { onLine })
  await logged(tempDir(), [Buffer.alloc(5_000_000, 'x')], { onLine })
  expect(lines.slice(0, 3)).toEqual(['first', 'half a line', '50%'])
  expect(lines[3]).toHaveLength(400)
})

test('many lines in a moment are told as few, the last one always', async () => {
  const lines: string[] = []
  await logged(
    tempDir(),
    Array.from({ length: 500 }, (_, index) => `line ${index}\n`),
    { onLine: (line) => void lines.push(line) },
  )
  expect(lines.length).toBeLessThan(100)
  expect(lines.at(-1)).toBe('line 499')
})

test('a log that cannot be written costs the log and nothing else', async () => {
  const dir = join(tempDir(), 'gone')
  await logged(dir, ['some', 'text'])
  mkdirSync(dir)
  const log = openLog(dir, small)
  await log.write(Buffer.from('kept'))
  await log.close()
  expect((await readLog(dir)).toString()).toBe('kept')
})

test('following gives what is there, what comes, and ends with the run', async () => {
  const dir = tempDir()
  const end = new AbortController()
  const log = openLog(dir, { headBytes: 10, tailBytes: 1000 })
  await log.write(Buffer.from('one '))
  let text = ''
  let heard = Promise.withResolvers<void>()
  const hear = (chunk: Buffer) => {
    text += chunk.toString()
    heard.resolve()
  }
  const following = followLog(dir, new AbortController().signal, hear, end.signal)
  await heard.promise
  expect(text).toBe('one ')
  heard = Promise.withResolvers()
  await log.write(Buffer.from('two '))
  await heard.promise
  await log.write(Buffer.from('three and four'))
  await log.close()
  end.abort()
  await following
  expect(text).toBe('one two three and four')
})

test('following ends when told to, and at once when an ended run has no folder', async () => {
  const dir = tempDir()
  const stop = new AbortController()
  const heard: string[] = []
  appendFileSync(join(dir, 'log'), 'text')
  const hear = (chunk: Buffer) => {
    heard.push(chunk.toString())
    stop.abort()
  }
  await followLog(dir, stop.signal, hear, new AbortController().signal)
  await followLog(join(dir, 'none'), new AbortController().signal, hear, AbortSignal.abort())
  expect(heard).toEqual(['text'])
  expect(existsSync(join(dir, 'none'))).toBe(false)
})

test('a run whose folder is not there yet is followed from its first line', async () => {
  const dir = join(tempDir(), 'runs', 'shop-1.r1')
  const end = new AbortController()
  let text = ''
  const hear = (chunk: Buffer) => {
    text += chunk.toString()
    end.abort()
  }
  const following = followLog(dir, new AbortController().signal, hear, end.signal)
  await logged(dir, ['one'])
  await following
  expect(text).toBe('one')
})

test('the logs of a verification’s commands are one, each below its command, and end with it', async () => {
  const dir = tempDir()
  const command = async (n: number, title: string, text: string) => {
    const folder = join(dir, commandFolder(n))
    mkdirSync(folder)
    writeFileSync(join(folder, COMMAND_FILE), title)
    await logged(folder, [text])
    return folder
  }
  const first = await command(2, 'npm test', 'red\n')
  let text = ''
  const heard = Promise.withResolvers<void>()
  const end = new AbortController()
  const hear = (chunk: Buffer) => {
    text += chunk.toString()
    if (text.includes('red')) heard.resolve()
  }
  const following = followLog(dir, new AbortController().signal, hear, end.signal)
  await heard.promise
  // Its own exit record ends only the command.
  writeFileSync(join(first, 'exit.json'), '{}')
  await command(10, 'npm test   # once more', 'green\n')
  end.abort()
  await following
  expect(text).toBe('$ npm test\nred\n$ npm test   # once more\ngreen\n')
  expect((await readLog(dir)).toString()).toBe(text)
})
