import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { script, tempDir } from '../../process/fixtures/temp.ts'
import { claude } from '../claude/adapter.ts'
import { codex } from '../codex/adapter.ts'
import { findProgram, isOlder } from './find.ts'

const saved = { ...process.env }
let top: string
beforeEach(() => {
  top = tempDir()
  Object.assign(process.env, { PATH: `${top}:/usr/bin:/bin`, HOME: top })
})
afterEach(() => void Object.assign(process.env, saved))

test('a program that is there, and logged in', async () => {
  script(join(top, 'claude'), 'echo "9.0.1 (Claude Code)"')
  expect(await findProgram(claude)).toEqual({ version: '9.0.1', account: false, problem: null })
  mkdirSync(join(top, '.claude'))
  writeFileSync(join(top, '.claude/.credentials.json'), '')
  expect(await findProgram(claude)).toEqual({ version: '9.0.1', account: true, problem: null })
})

test('one that is not there, too old, or crashes: what to type', async () => {
  expect((await findProgram(codex)).problem).toBe('Codex is not installed: npm install --global @openai/codex')
  script(join(top, 'codex'), 'echo codex-cli 0.99.0')
  expect((await findProgram(codex)).problem).toMatch(/^Codex is version 0\.99\.0; 0\.166\.0 or later is needed/)
  script(join(top, 'codex'), 'exit 3')
  expect((await findProgram(codex)).problem).toMatch(/--version prints no version/)
})

test.each([
  ['2.1.9', '2.1.325', true],
  ['2.1.325', '2.1.325', false],
  ['3.0.0', '2.1.325', false],
  ['1.9.999', '2.1.325', true],
])('%s is older than %s: %s', (version, than, older) => {
  expect(isOlder(version, than)).toBe(older)
})
