import { describe, expect, test } from 'vitest'
import { isReplayable, onlyLooks } from './replayable.ts'

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
    'git log --oneline --exclude=x',
    'git grep -n --exclude-standard token',
    'node --test --test-name-pattern=session test/a.test.js',
    'npm test -- --reporter=dot -t session',
    'npm exec vitest run',
    'tail -n 20 log.txt',
    'go test -run Offset ./...',
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
    // Options that name a program, or code.
    'git grep -O"rm -rf x" foo',
    'git grep --open-files-in-pager=./evil foo',
    'git grep --open-f=./evil foo',
    'git diff --outp=x',
    'go test --exec ./evil ./...',
    'go test -toolexec ./evil ./...',
    'go vet -vettool=./evil',
    'cargo test --config build.rustc-wrapper="./evil"',
    'npm test --script-shell=./evil',
    'npm run test --node-options=--import=data:text/javascript,1',
    'npm exec vitest -c "rm x"',
    'bun test --preload=./evil',
    'node --test -e 1',
    'node --test --import=data:text/javascript,1',
    'mocha --require data:text/javascript,1',
    // Names that say more than that they test.
    'npm run build-and-publish',
    'npm run test:deploy',
    'make check-release',
    // Out of the checkout, and without end.
    'grep -f/etc/passwd x',
    'pytest --rootdir=file:///etc',
    'tail -f log.txt',
    'tail -nF log.txt',
    'tail --follow log.txt',
  ])('%j', (command) => expect(isReplayable(command, known)).toBe(false))
})

test.each([
  ['grep -n "TODO" src/a.ts', true],
  ['git diff HEAD~1', true],
  ['test -e src/a.ts', false],
  ['npm test', false],
  ['$(cat x)', false],
])('%s only shows something: %s', (command, expected) => expect(onlyLooks(command)).toBe(expected))
