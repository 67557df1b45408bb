import { expect, test } from 'vitest'
import { likelyMend } from './mend.ts'

test.each([
  [['package.json', 'package-lock.json'], 'npm ci'],
  [['package.json', 'pnpm-lock.yaml'], 'pnpm install --frozen-lockfile'],
  [['package.json'], 'npm install'],
  [['pyproject.toml', 'uv.lock'], 'uv sync'],
  [['requirements-dev.txt', 'setup.py'], 'pip install -r requirements-dev.txt'],
  [['package.json', 'yarn.lock'], 'yarn install'],
  [['package.json', 'bun.lock'], 'bun install --frozen-lockfile'],
  [['pyproject.toml', 'poetry.lock'], 'poetry install'],
  [['pyproject.toml'], 'pip install -e .'],
  [['Gemfile'], 'bundle install'],
  [['composer.json'], 'composer install'],
])('H-4 a project with %j is told to set it up with %s', (files, command) => {
  expect(likelyMend(null, files)).toContain(`\`setup: ${command}\``)
})

test('H-4 a project that nobody knows how to install is told about setup all the same', () => {
  expect(likelyMend(null, ['sub/package.json'])).toContain('a `setup:` in muster.yaml')
})

test('H-4 a setup that is there is what to look at', () => {
  const setup = { run: 'npm ci', env: [], timeoutMs: 1, files: [] }
  expect(likelyMend(setup, ['package.json'])).toContain('let `setup:` in muster.yaml install')
})
