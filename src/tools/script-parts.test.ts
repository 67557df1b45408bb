import { expect, test } from 'vitest'
import { scriptParts } from './script-parts.ts'

const parts = (command: string, scripts: object, devDependencies: object = {}, files: string[] = []) =>
  scriptParts(command, new Set(['package.json', ...files]), (path) =>
    path === 'package.json' ? JSON.stringify({ scripts, devDependencies }) : null,
  )
const tools = { lintit: '1', testit: '1', specit: '1', typescript: '6' }

test('a test script is the commands that && joins, with what runs before and after it', () => {
  const scripts = { pretest: 'npm run lint', test: 'lintit . && A=1 testit "a b" && tsc', posttest: 'node after.js' }
  expect(parts('npm test', scripts, tools)).toEqual([
    'npm run lint',
    'npx lintit .',
    'A=1 npx testit "a b"',
    'npx tsc',
    'node after.js',
  ])
  expect(parts('pnpm run test', scripts, tools)).toHaveLength(5)
})

test('what a pipe joins stays together', () => {
  expect(parts('npm test', { test: 'lintit && testit x | specit' }, tools)).toEqual([
    'npx lintit',
    'npx testit x | npx specit',
  ])
})

test('a command that is one part, or that cannot be taken apart, has none', () => {
  for (const test of ['testit', 'lintit || testit', 'lintit; testit', 'if true; then testit; fi && lintit', '(lintit)'])
    expect(parts('npm test', { test }, tools)).toEqual([])
  expect(parts('make test', { test: 'lintit && testit' }, tools)).toEqual([])
  expect(parts('npm run unit', { test: 'lintit && testit' }, tools)).toEqual([])
})

test.each(['rm -rf tmp || true', 'rm -rf tmp; true', 'true # done', 'server & testit', 'true\nfalse', '(true)'])(
  'H-1 nothing is taken apart beside "%s": joined to others it would mean something else',
  (posttest) => {
    expect(parts('npm test', { test: 'lintit && testit', posttest }, tools)).toEqual([])
    expect(parts('npm test', { pretest: posttest, test: 'lintit && testit' }, tools)).toEqual([])
  },
)

test('Bun runs what it installed by its own word', () => {
  expect(parts('bun run test', { test: 'lintit && testit' }, tools, ['bun.lock'])).toEqual([
    'bun x lintit',
    'bun x testit',
  ])
})
