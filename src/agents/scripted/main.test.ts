import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { childEnvironment } from '../../process/environment.ts'
import { tempDir } from '../../process/fixtures/temp.ts'
import { runToEnd } from '../../process/run.ts'

async function play(
  script: object,
  options: { task?: string; role?: string; attempt?: number; prompt?: string; cwd?: string } = {},
) {
  const dir = tempDir()
  const cwd = options.cwd ?? join(dir, 'work')
  mkdirSync(cwd, { recursive: true })
  writeFileSync(join(dir, 'script.json'), JSON.stringify(script))
  writeFileSync(join(dir, 'prompt.md'), options.prompt ?? '')
  const verdictFile = join(dir, 'verdict')
  const { code, stdout, stderr } = await runToEnd({
    command: [process.execPath, join(import.meta.dirname, 'main.ts'), join(dir, 'script.json')],
    cwd,
    env: childEnvironment({
      extra: {
        MUSTER_TASK_ID: options.task ?? 'demo-1',
        MUSTER_ROLE: options.role ?? 'implementer',
        MUSTER_ATTEMPT: String(options.attempt ?? 1),
        MUSTER_NONCE: 'n0nce',
        MUSTER_VERDICT_FILE: verdictFile,
        MUSTER_PROMPT_FILE: join(dir, 'prompt.md'),
      },
    }),
  })
  const verdict: unknown = existsSync(verdictFile) ? JSON.parse(readFileSync(verdictFile, 'utf8')) : null
  return { code, stdout: stdout.toString(), stderr, verdict, cwd }
}

test('F-8 says, writes, appends, deletes and gives a verdict bound to its task, attempt and nonce', async () => {
  const cwd = tempDir()
  writeFileSync(join(cwd, 'old.txt'), '')
  writeFileSync(join(cwd, 'list.txt'), 'a\n')
  const entry = {
    say: ['one', 'two'],
    everyMs: 1,
    waitMs: 1,
    write: { 'src/new.txt': 'new' },
    append: { 'list.txt': 'b\n' },
    delete: ['old.txt'],
    detail: 'done',
  }
  const { code, stdout, verdict } = await play({ 'demo-1': entry }, { cwd })
  expect({ code, stdout, verdict }).toEqual({
    code: 0,
    stdout: 'one\ntwo\n',
    verdict: { task: 'demo-1', attempt: 1, nonce: 'n0nce', verdict: 'pass', detail: 'done' },
  })
  expect(readFileSync(join(cwd, 'src/new.txt'), 'utf8')).toBe('new')
  expect(readFileSync(join(cwd, 'list.txt'), 'utf8')).toBe('a\nb\n')
  expect(existsSync(join(cwd, 'old.txt'))).toBe(false)
})

test('takes the entry of the task, or of what its id ends with, with its role, or the one for all; the last attempt repeats', async () => {
  const script = {
    '1': { say: 'one' },
    '1.checker': { say: 'judged' },
    'demo-2': [{ say: 'first' }, { say: 'later' }],
    '*': { say: 'any' },
  }
  const said = async (task: string, attempt = 1): Promise<string> =>
    (await play(script, { task, attempt })).stdout.trim()
  expect(await said('story-1')).toBe('one')
  expect((await play(script, { task: 'story-1', role: 'checker' })).stdout).toBe('judged\n')
  expect(await said('story1')).toBe('any')
  expect(await said('demo-2')).toBe('first')
  expect(await said('demo-2', 5)).toBe('later')
  expect(await play({ other: {} })).toMatchObject({ code: 2, verdict: null })
})

test('fails with its finding if the prompt lacks what it must say', async () => {
  const script = { '*': { requirePrompt: ['fix', 'the date'], write: { x: '' } } }
  expect(await play(script, { prompt: 'fix the date' })).toMatchObject({ code: 0, verdict: { verdict: 'pass' } })
  const message = 'the prompt does not say: the date'
  const failed = await play(script, { prompt: 'fix it' })
  expect(failed).toMatchObject({ code: 1, verdict: { verdict: 'fail', findings: [{ severity: 'FAIL', message }] } })
  expect(existsSync(join(failed.cwd, 'x'))).toBe(false)
})

test('fails, keeps silent and exits as told', async () => {
  const findings = [{ severity: 'FAIL', message: 'no', file: 'a.ts', line: 3 }]
  expect(await play({ '*': { verdict: 'fail', findings } })).toMatchObject({
    code: 1,
    verdict: { verdict: 'fail', findings },
  })
  expect(await play({ '*': { verdict: 'none', exit: 7 } })).toMatchObject({ code: 7, verdict: null })
})

test('refuses paths that leave the working directory, by dots or by a link', async () => {
  const cwd = tempDir()
  symlinkSync('/tmp', join(cwd, 'out'))
  symlinkSync('/tmp/muster-nowhere', join(cwd, 'dangling'))
  for (const name of ['../x', '/tmp/muster-x', 'out/muster-x', 'dangling', '.']) {
    const { code, stderr, verdict } = await play({ '*': { write: { [name]: '' } } }, { cwd })
    expect({ code, verdict }).toEqual({ code: 2, verdict: null })
    expect(stderr).toContain('scripted agent: ')
  }
})
