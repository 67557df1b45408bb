import { expect, test } from 'vitest'
import { codeRules } from './code-rules.ts'

const security = { critics: ['security'] }
const rule = (pattern: string, flags = '') => ({ pattern, flags, rule: security })
const patch = (path: string, ...lines: string[]) =>
  `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1,1 +1,${lines.length + 1} @@\n context\n${lines.map((line) => `+${line}\n`).join('')}`

test('S3.7 new lines that fit a pattern ask for its rule, in their file alone', () => {
  const change = patch('a.js', 'eval(x)') + patch('b.js', 'safe(x)')
  expect(codeRules([rule('eval\\(')], change, ['a.js', 'b.js'])).toEqual(new Map([['a.js', [security]]]))
  expect(codeRules([rule('EVAL\\(', 'i')], change, ['a.js', 'b.js']).size).toBe(1)
})

test('lines that were there, or are gone, ask for nothing', () => {
  const change = 'diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n eval(1)\n-eval(2)\n+safe(2)\n'
  expect(codeRules([rule('eval')], change, ['a']).size).toBe(0)
})

test('a new line that looks like the head of another file changes nothing', () => {
  const change = patch('a.js', '++ b/README.md', 'eval(x)')
  expect([...codeRules([rule('eval')], change, ['a.js', 'README.md']).keys()]).toEqual(['a.js'])
})

test('a name that git quotes, and a pattern that never ends, ask for more and not for less', () => {
  const quoted = patch('x', 'eval(x)').replace('+++ b/x', '+++ "b/\\303\\244.js"')
  expect([...codeRules([rule('eval')], quoted, ['ä.js', 'b.js']).keys()]).toEqual(['ä.js', 'b.js'])
  const started = performance.now()
  const slow = [...Array(20)].map(() => rule('^(a+)+$'))
  expect(codeRules(slow, patch('a.js', `${'a'.repeat(60)}b`), ['a.js']).get('a.js')).toHaveLength(20)
  expect(performance.now() - started).toBeLessThan(20_000)
})
