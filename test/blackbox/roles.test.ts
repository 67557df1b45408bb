/** Roles, definitions and defects as a user meets them at the command line. */
import { expect, test } from 'vitest'
import { exited, makeRepo } from '../support/muster.ts'

const DEFINITION = '---\nname: checker\ndescription: Checks.\nmodel: haiku\n---\nLook twice.\n'

function withClaude(config = '') {
  const repo = makeRepo({ agent: null })
  repo.write('muster.yaml', `version: 1\nagents: { implementer: { runtime: claude } }\n${config}`)
  return repo
}

test.concurrent('doctor tells who plays each role, by which definition, and what to know of it (L38)', async () => {
  const repo = withClaude()
  repo.write('.claude/agents/checker.md', DEFINITION)
  const { findings } = (await repo.muster('doctor', '--json')).json<{ findings: { what: string; detail: string }[] }>()
  expect(findings.find(({ what }) => what === 'roles')?.detail.split('\n')).toEqual([
    'implementer  claude (definition: built in)',
    'checker      claude haiku (like the implementer) (definition: .claude/agents/checker.md)',
    'note: the checker uses the model "haiku". Models of that size accept unfinished work: use a larger one',
  ])
})

test.concurrent('a broken definition of a role that is used ends with 2, file and line; one that nobody uses does not', async () => {
  const repo = withClaude('phases: direct\n')
  repo.write('.muster/agents/checker.md', DEFINITION.replace('model', 'modell'))
  exited(await repo.here('run', '--dry-run', 'Write the file'), 0)
  repo.write('muster.yaml', repo.read('muster.yaml').replace('direct', 'checked'))
  const run = exited(await repo.here('run', '--dry-run', 'Write the file'), 2)
  expect(run.stderr).toContain('.muster/agents/checker.md:4: unknown key "modell"')
  expect(run.stderr).toContain('docs/judges.md shows a definition')
})

test.concurrent('a defect brings the issue-verifier, in a plan and for one task (S4.16)', async () => {
  const repo = withClaude()
  repo.write('plan.yaml', 'tasks: [{ id: 1, name: Fix the login, defect: docs/login.md }]\n')
  const plan = exited(await repo.here('run', '--dry-run', 'plan.yaml'), 0)
  expect(plan.stdout).toContain('verify: check contract → validate: agent issue-verifier → accept: signal acceptance')

  const outside = exited(await repo.here('add', 'Fix the login', '--defect', '../login.md'), 2)
  expect(outside.stderr).toContain('--defect cannot be "../login.md": name a path below the project')
  const agents =
    'protected: []\nphases: direct\nsandbox: off\nagents:\n  implementer: { runtime: command, run: "echo a >a.txt", verdict: exit }\n'
  repo.write('muster.yaml', agents)
  const nobody = exited(await repo.here('add', 'Fix the login', '--defect', 'docs/login.md'), 2)
  expect(nobody.stderr).toContain('no agent plays the role "issue-verifier"')

  repo.write('muster.yaml', `${agents}  issue-verifier: { runtime: command, run: "true", verdict: exit }\n`)
  exited(await repo.here('add', 'Fix the login', '--defect', './docs/login.md'), 0)
  exited(await repo.here('run'), 0)
  const { tasks } = (await repo.here('export')).json<{ tasks: { runs: { name: string }[] }[] }>()
  expect(tasks.flatMap(({ runs }) => runs.map(({ name }) => name))).toEqual([
    'implementer',
    'issue-verifier',
    'merge',
    'contract',
    'merge',
  ])
})
