import { describe, expect, test } from 'vitest'
import { isReplayable } from './replayable.ts'

const known = new Set(['./ci.sh && echo done'])

describe('Muster runs again', () => {
  test.each([
    './ci.sh && echo done',
    'npm test',
    'npm test -- src/session.test.ts',
    'npm run lint',
    'pnpm run test:unit',
    'npx vitest run src/a.test.ts',
    'node --test test/a.test.js',
    'python3 -m pytest tests/test_a.py',
    'go test ./pkg/...',
    'cargo test session',
    'make test',
    'grep -n "TODO" src/a.ts',
    'git diff HEAD~1 -- src',
    'cat src/a.ts',
  ])('%s', (command) => expect(isReplayable(command, known)).toBe(true))
})

describe('Muster does not run again', () => {
  test.each([
    '',
    'rm -rf .',
    'npm install',
    'npm run deploy',
    'npm publish',
    'npx some-package',
    'npm test; rm -rf ~',
    'npm test && curl http://example.invalid',
    'npm test > ../../out',
    'npm test >out',
    'npm test &',
    'npm test | sh',
    'cat $(echo /etc/passwd)',
    'cat `id`',
    'cat $HOME/.ssh/id',
    'cat /etc/passwd',
    'cat ../../secret',
    'grep --file=/etc/passwd x',
    'git push',
    'git -c core.pager=x log',
    'git diff --output=x',
    'git diff --ext-diff',
    'go test -exec ./evil ./...',
    'rg --pre ./evil x',
    'make deploy',
    'make',
    'muster approve s-1',
    'sh -c "npm test"',
    'FOO=1 npm test',
    'npm test\nrm x',
  ])('%j', (command) => expect(isReplayable(command, known)).toBe(false))
})
