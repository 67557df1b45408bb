import { afterEach, beforeEach, expect, test } from 'vitest'
import { childEnvironment } from './environment.ts'
import { runToEnd } from './run.ts'

beforeEach(() => {
  process.env['MUSTER_TEST_SECRET'] = 'hunter2'
  process.env['MUSTER_TEST_LISTED'] = 'listed'
  process.env['LC_MUSTER'] = 'C'
})
afterEach(() => {
  for (const name of ['MUSTER_TEST_SECRET', 'MUSTER_TEST_LISTED', 'LC_MUSTER']) delete process.env[name]
})

test('passes the allow-list, the listed names and the extras, and nothing else', () => {
  const environment = childEnvironment({ pass: ['MUSTER_TEST_LISTED', 'MUSTER_TEST_ABSENT'], extra: { A: '1' } })
  expect(environment).toMatchObject({ PATH: process.env['PATH'], LC_MUSTER: 'C', MUSTER_TEST_LISTED: 'listed', A: '1' })
  expect(environment).not.toHaveProperty('MUSTER_TEST_SECRET')
  expect(environment).not.toHaveProperty('MUSTER_TEST_ABSENT')
})

test("Muster's own values win over the user's", () => {
  expect(childEnvironment({ pass: ['MUSTER_TEST_LISTED'], extra: { MUSTER_TEST_LISTED: 'ours' } })).toHaveProperty(
    'MUSTER_TEST_LISTED',
    'ours',
  )
})

test('a secret of the parent is not seen by the child', async () => {
  const { stdout } = await runToEnd({ command: ['env'], cwd: '/', env: childEnvironment() })
  expect(stdout.toString()).toContain('PATH=')
  expect(stdout.toString()).not.toContain('hunter2')
})
