/** muster clean: what is kept on disk is shown, what may go goes, and nothing that is nowhere else. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { CleanReport } from '../../src/engine/jobs/clean.ts'
import type { ErrorDocument } from '../support/muster.ts'
import { exited, fileText, makeRepo, planText } from '../support/muster.ts'

/** Most tasks damage the index that their snapshot starts from, so that nothing can be saved; one waits. */
const agent = `echo precious >work.txt
case $MUSTER_TASK_ID in
  p-*) echo damaged >"$(dirname "$MUSTER_PROMPT_FILE")/index" ;;
  *) mkfifo "$HOME/gate"; echo yes >"$HOME/up"; cat "$HOME/gate" ;;
esac`

test.concurrent('L4, F-14 unsaved work is told wherever somebody looks and goes only by its name; the rest goes beside a run', async () => {
  const repo = makeRepo({ agent, config: 'limits: { maxErrorAttempts: 1 }\nretention: { runs: 1ms }' })
  repo.write('plan.yaml', planText('p', { 1: '', 2: '' }))
  const line = '2 workspaces hold work that could not be saved: see muster clean'
  expect(exited(await repo.here('run', 'plan.yaml'), 8).stdout).toContain(line)
  expect((await repo.here('status')).stdout).toContain(line)
  expect((await repo.here('doctor')).stdout).toContain(line)
  const shown = await repo.muster('clean')
  expect(shown).toMatchObject({ code: 0, stderr: '' })
  expect(shown.stdout).toMatch(/workspaces .*2 with unsaved work[\s\S]*p-1\.r1 .* old: the result could not be saved/)
  const kept = (await repo.here('open', 'p-1')).stdout.trim()
  expect(await fileText(join(kept, 'work.txt'))).toBe('precious\n')

  const inside = await repo.musterWith({ env: { MUSTER_TASK_ID: 'x' } }, 'clean', '--discard', 'p-1', '--json')
  expect(exited(inside, 4).json<ErrorDocument>().error.code).toBe('not_allowed')
  expect(await repo.muster('clean', '--discard', 'p-1', '--apply')).toMatchObject({ code: 2, stdout: '' })
  expect(existsSync(kept)).toBe(true)
  const discarded = exited(await repo.muster('clean', '--discard', 'p-1'), 0)
  expect(discarded.stdout).toBe(`p-1.r1 held 1 changed path\n  work.txt\nremoved ${kept}\n`)
  expect(existsSync(kept)).toBe(false)
  expect((await repo.here('explain', 'p-1')).stdout).toContain('tester discarded the unsaved work of p-1.r1')

  const run = repo.start('run', 'Do this now')
  await fileText(join(repo.home, 'up'))
  const branch = 'muster/kept/p-2.r1'
  const beside = exited(await repo.muster('clean', '--apply', '--json'), 0).json<CleanReport>()
  expect(beside).toMatchObject({
    saved: [{ run: 'p-2.r1', task: 'p-2', branch }],
    removed: { workspaces: 1, runs: 0 },
    kept: [],
    postponed: 'a muster is at work',
  })
  expect(repo.git('show', `${branch}:work.txt`)).toBe('precious\n')
  expect(await repo.muster('clean', '--discard', 'do-this-now-1.r1')).toMatchObject({ code: 3, stdout: '' })
  execFileSync('sh', ['-c', 'echo go >"$1"', 'sh', join(repo.home, 'gate')])
  exited(await run.ended, 0)

  expect(exited(await repo.muster('clean', '--apply'), 0).stdout).toMatch(/^removed .* KB: 2 run folders$/m)
  const logs = await repo.here('logs', 'do-this-now-1')
  expect(logs).toMatchObject({ code: 5, stdout: '' })
  expect(logs.stderr).toContain('muster show do-this-now-1')
})

test.concurrent('looking at an untouched project leaves no trace', async () => {
  const repo = makeRepo()
  expect(await repo.muster('clean')).toMatchObject({ code: 0, stdout: expect.stringContaining('0 B in ') as string })
  expect(await repo.muster('clean', '--apply')).toMatchObject({ code: 0 })
  expect(existsSync(repo.musterHome)).toBe(false)
})
