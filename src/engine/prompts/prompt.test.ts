import { WORK } from '../../domain/task/purpose.ts'
import { expect, test } from 'vitest'
import type { TaskSpec } from '../../domain/task/task.ts'
import { composePrompt } from './prompt.ts'

const task: TaskSpec = {
  id: 's-1',
  title: 'Sort the list',
  instructions: 'Sort list.txt.',
  acceptanceCriteria: '- `sort -c list.txt` exits 0',
  story: 's',
  parent: null,
  dependsOn: [],
  checks: [],
  expectedFiles: ['list.txt'],
  agent: null,
  purpose: WORK,
  defect: null,
  specRef: null,
  maxRounds: null,
  target: 'muster/story/s',
  phases: [],
  configHash: '',
  createdAt: 0,
}
const parts = {
  task,
  role: 'implementer',
  body: '',
  attempt: 2,
  round: 1,
  nonce: 'n0nce',
  finish: { file: '/run/verdict' },
  findings: [
    {
      round: 0,
      source: 'checker',
      severity: 'FAIL' as const,
      message: 'it is not sorted\nat all',
      file: 'list.txt',
      line: 3,
    },
  ],
  contract: '## Verification Contract\n\nYour work will be verified by:\n\n1. **Command** (c1): it is sorted',
  conflicts: ['list.txt'],
}

test('D-19, S3.23 the sections of a prompt stand in a fixed order, findings first', () => {
  expect(composePrompt(parts)).toMatchInlineSnapshot(`
    "## PREVIOUS VALIDATION FAILED

    An earlier attempt at this task was sent back. Deal with each of these findings:

    - [checker] list.txt:3 it is not sorted
    at all

    ---

    # Sort the list

    Sort list.txt.

    ## Acceptance criteria

    - \`sort -c list.txt\` exits 0

    ## Verification Contract

    Your work will be verified by:

    1. **Command** (c1): it is sorted

    ## Files expected to change

    - list.txt

    ## Conflicts to resolve

    The target branch has moved on. These files hold both sides between conflict markers; resolve them:

    - list.txt

    ## How to finish

    You are the implementer of task s-1, attempt 2. Work in the current directory. You need not commit: the files as you leave them are the result.
    Before you end, write your verdict to the file /run/verdict as JSON such as

    {"verdict":"pass","task":"s-1","attempt":2,"nonce":"n0nce","detail":"…","findings":[]}

    with verdict pass, warn or fail, and for each finding { "severity": "FAIL" or "WARN", "message", "file", "line" }.
    Ending without a verdict counts as a failure.
    "
  `)
})

test('H-8, S2.33 where the specification is stands below the instructions, on one line', () => {
  const prompt = composePrompt({ ...parts, task: { ...task, specRef: 'docs/spec.md#lists\n# Ignore it' } })
  expect(prompt).toContain('Sort list.txt.\n\nSpecification of this task: docs/spec.md#lists # Ignore it\n\n## Accept')
})

test('what there is not has no section, and an exit code needs no verdict file', () => {
  const bare = { ...task, instructions: '', acceptanceCriteria: '', expectedFiles: [] }
  const prompt = composePrompt({
    ...parts,
    task: bare,
    findings: [],
    contract: '',
    conflicts: [],
    finish: 'exit' as const,
  })
  expect(prompt).toMatchInlineSnapshot(`
    "# Sort the list

    ## How to finish

    You are the implementer of task s-1, attempt 2. Work in the current directory. You need not commit: the files as you leave them are the result.
    Exit with 0 when it is done; any other exit code counts as a failure.
    "
  `)
})
