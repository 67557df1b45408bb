/** Verdict files as agents write them: only one that is whole, fresh and about this very run counts. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { TaskView } from '../../src/engine/views/views.ts'
import type { Repo, RunDocument } from '../support/muster.ts'
import { exited, makeRepo, planText } from '../support/muster.ts'

const say = (text: string) => `printf '%s' '${text}' >"$MUSTER_VERDICT_FILE"`
type Author = [how: string, first: string, told: RegExp]

const AUTHORS: Author[] = [
  [
    'without a verdict (S2.16, S2.15, E-28)',
    'echo "I lost it" >&2; exit 0',
    /worker completed without writing verdict[\s\S]*I lost it/,
  ],
  ['with a verdict of fail (S2.8)', say('{"verdict":"fail","detail":"half done"}'), /half done/],
  [
    'with a verdict for another task (L13)',
    say('{"verdict":"pass","task":"other-7"}'),
    /refused: it is for task other-7/,
  ],
  ['with a verdict for another attempt (L13)', say('{"verdict":"pass","attempt":7}'), /refused: it is for attempt 7/],
  ['with another nonce (L13)', say('{"verdict":"pass","nonce":"stale"}'), /refused: its nonce/],
  ['with broken JSON', say('{"verdict":"pass"'), /refused: it is not valid JSON/],
  ['with an unknown word', say('{"verdict":"great"}'), /refused: its verdict is "great"/],
  ['with an empty file', say(''), /refused: it is empty/],
  ['with prose', say('PASS, I am sure'), /refused: it is neither JSON nor front matter/],
  [
    'with a link for a file',
    'echo "{\\"verdict\\":\\"pass\\"}" >x; ln -s "$PWD/x" "$MUSTER_VERDICT_FILE"',
    /refused: it is a symbolic link/,
  ],
  [
    'with PASS and a FAIL finding',
    say('{"verdict":"pass","findings":[{"severity":"FAIL","message":"token unchecked","file":"a.ts","line":42}]}'),
    /a\.ts:42 token unchecked/,
  ],
]

describe('an author that first ends', () => {
  let repo: Repo
  let tasks: TaskView[]

  // One plan for all of them: each is wrong in its first round; afterwards it keeps its prompt and passes.
  beforeAll(async () => {
    const pass = `cat >"prompt-$MUSTER_TASK_ID.txt"; ${say('{"verdict":"pass"}')}`
    repo = makeRepo({ agent: `[ "$MUSTER_ROUND" = 0 ] && . "$HOME/$MUSTER_TASK_ID" || { ${pass}\n}`, verdict: 'file' })
    for (const [index, [, first]] of AUTHORS.entries()) repo.write(`../home/p-${index}`, `${first}\nexit 0\n`)
    repo.write('plan.yaml', planText('p', Object.fromEntries(AUTHORS.map((_, index) => [index, '']))))
    tasks = exited(await repo.muster('run', 'plan.yaml', '--json'), 0).json<RunDocument>().tasks
  })

  test.each(AUTHORS.map(([how, , told], index) => ({ how, told, index })))(
    '$how is sent back, and the next prompt begins with why',
    ({ told, index }) => {
      const task = tasks[index]
      expect(task).toMatchObject({ status: 'completed', round: 1, attempt: 2 })
      expect(task?.findings[0]).toMatchObject({ round: 0, source: 'implementer', severity: 'FAIL' })
      const prompt = repo.git('show', `muster/story/p:prompt-p-${index}.txt`)
      expect(prompt.startsWith('## PREVIOUS VALIDATION FAILED\n')).toBe(true)
      expect(prompt).toMatch(told)
      expect(prompt.indexOf(`# Task ${index}`)).toBeGreaterThan(0)
    },
  )
})

test.concurrent('a missing verdict is told to people too (S2.17, S2.18)', async () => {
  const repo = makeRepo({ agent: 'exit 0', verdict: 'file', config: 'limits: { maxTaskRounds: 1 }' })
  const run = await repo.muster('run', 'Do this now')
  expect(run).toMatchObject({ code: 1 })
  expect(run.stderr).toContain('ended without writing a verdict')
})

test.concurrent('a verdict left behind by the first attempt is not the second one’s', async () => {
  const agent = `if [ "$MUSTER_ROUND" = 0 ]; then echo "$MUSTER_VERDICT_FILE" >"$HOME/place"; exit 0; fi
printf '{"verdict":"pass"}' >"$(cat "$HOME/place")"`
  const repo = makeRepo({ agent, verdict: 'file', config: 'limits: { maxTaskRounds: 2 }' })
  const run = await repo.muster('run', 'Do this now', '--json')
  expect(run).toMatchObject({ code: 1 })
  expect(run.json<RunDocument>().tasks[0]?.findings).toHaveLength(2)
})

test.concurrent('front matter and a body are a verdict; WARN passes and its findings are shown as warnings (S2.7)', async () => {
  const agent = `echo x >x.txt; printf -- '---\\nverdict: pass\\n---\\nAll good.\\n' >"$MUSTER_VERDICT_FILE"`
  const repo = makeRepo({ agent, verdict: 'file' })
  expect(await repo.here('run', 'Do this now')).toMatchObject({ code: 0 })
  repo.script(
    'agent.sh',
    'echo y >y.txt\n' + say('{"verdict":"warn","findings":[{"severity":"WARN","message":"a bit slow"}]}'),
  )
  const warned = await repo.here('run', 'Do that now', '--json')
  expect(warned).toMatchObject({ code: 0 })
  expect(warned.json<RunDocument>().tasks[0]).toMatchObject({
    status: 'completed',
    warnings: ['a bit slow'],
    findings: [],
  })
})
