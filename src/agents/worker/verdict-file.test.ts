import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { verdictBytesMax } from '../../domain/limits.ts'
import { childEnvironment } from '../../process/environment.ts'
import { tempDir } from '../../process/fixtures/temp.ts'
import { runToEnd } from '../../process/run.ts'
import { readVerdictFile } from './verdict-file.ts'

test('a regular file is read, up to the limit and no further', async () => {
  const path = join(tempDir(), 'verdict')
  expect(await readVerdictFile(path)).toEqual({ kind: 'missing' })
  writeFileSync(path, 'x'.repeat(verdictBytesMax))
  expect(await readVerdictFile(path)).toEqual({ kind: 'text', text: 'x'.repeat(verdictBytesMax) })
  writeFileSync(path, 'x'.repeat(verdictBytesMax + 1))
  expect(await readVerdictFile(path)).toEqual({ kind: 'refused', why: 'it is larger than 262144 bytes' })
})

test('a link is refused, wherever it leads', async () => {
  const dir = tempDir()
  writeFileSync(join(dir, 'real'), '{"verdict":"pass"}')
  symlinkSync('real', join(dir, 'verdict'))
  symlinkSync('nowhere', join(dir, 'dangling'))
  const refused = { kind: 'refused', why: 'it is a symbolic link' }
  expect(await readVerdictFile(join(dir, 'verdict'))).toEqual(refused)
  expect(await readVerdictFile(join(dir, 'dangling'))).toEqual(refused)
})

test('a folder or a pipe is refused at once', async () => {
  const dir = tempDir()
  mkdirSync(join(dir, 'folder'))
  await runToEnd({ command: ['mkfifo', 'pipe'], cwd: dir, env: childEnvironment() })
  const refused = { kind: 'refused', why: 'it is not a regular file' }
  expect(await readVerdictFile(join(dir, 'folder'))).toEqual(refused)
  expect(await readVerdictFile(join(dir, 'pipe'))).toEqual(refused)
})
