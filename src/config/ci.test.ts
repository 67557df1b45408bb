import { expect, test } from 'vitest'
import { ciHint } from './ci.ts'

const hint = (files: Record<string, string>) => ciHint(Object.keys(files), (path) => files[path] ?? null)

test('the lines of GitHub workflows and of GitLab scripts are hints', () => {
  const { signs, notes } = hint({
    '.github/workflows/ci.yml': `on: push
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: npm ci
      - name: Test
        run: |
          npm run lint
          npm run \\
            test:unit
      - run: make docs
        working-directory: site
`,
    '.gitlab-ci.yml':
      'stages: [test]\ntest:\n  before_script: [apt-get update]\n  script:\n    - [tox -e py]\n    - make check\n',
    'docs/ci.yml': 'jobs: { a: { steps: [{ run: make x }] } }\n',
  })
  expect([...signs].toSorted()).toEqual(['make check', 'script lint', 'script test:unit', 'tox'])
  expect(notes).toEqual([])
})

test.each([
  ['no YAML', 'jobs: [', 1],
  ['a bomb', `a: &a [${'x,'.repeat(20)}]\nb: &b [${'*a,'.repeat(20)}]\nc: [${'*b,'.repeat(20)}]\n`, 1],
  ['a list', '- run: npm test\n', 0],
  ['empty', '', 0],
  ['of other shapes', 'jobs: { a: 5, b: { steps: { run: x } }, c: { steps: [5, { run: [make test] }] } }\n', 0],
])('a workflow that is %s is no hint, and told where it cannot be read', (_, text, told) => {
  const { signs, notes } = hint({ '.github/workflows/a.yaml': text })
  expect([...signs]).toEqual([])
  expect(notes).toHaveLength(told)
  for (const note of notes) expect(note).toMatch(/^not used to find checks: \.github\/workflows\/a\.yaml/)
})
