import { expect, test } from 'vitest'
import { likelyMend } from './mend.ts'

const none = () => null

test('H-4 a project is told to set it up as its files say', () => {
  expect(likelyMend(null, ['package.json', 'package-lock.json'], none)).toContain('`setup: npm ci`')
  const both = likelyMend(null, ['package.json', 'pnpm-lock.yaml', 'poetry.lock'], none)
  expect(both).toContain('pnpm install --frozen-lockfile && POETRY_VIRTUALENVS_IN_PROJECT=true poetry install')
})

test('H-4 a project that nobody knows how to install is told about setup all the same', () => {
  expect(likelyMend(null, ['sub/package.json'], none)).toContain('a `setup:` in muster.yaml')
})

test('H-4 a setup that is there is what to look at', () => {
  const setup = { run: 'npm ci', env: [], timeoutMs: 1, files: [] }
  expect(likelyMend(setup, ['package.json'], none)).toContain('make `setup:` in muster.yaml install')
})
