/** The package itself: what it says about itself is true. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { version } from '../src/version.ts'

const root = join(import.meta.dirname, '..')
const read = (name: string) => readFileSync(join(root, name), 'utf8')
const pack = JSON.parse(read('package.json')) as {
  version: string
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
}

test('the version the program tells is the package version', () => {
  expect(version).toBe(pack.version)
  expect(read('CHANGELOG.md')).toContain(`## ${version}`)
})

test('every dependency is pinned and has its reason in docs/dependencies.md', () => {
  const reasons = read('docs/dependencies.md')
  for (const [name, wanted] of Object.entries({ ...pack.dependencies, ...pack.devDependencies })) {
    expect(wanted, name).toMatch(/^\d+\.\d+\.\d+$/)
    expect(reasons, name).toContain(`\`${name}\``)
  }
})

test('the lock file records no download addresses', () => {
  expect(read('package-lock.json')).not.toContain('"resolved": "http')
})

test('the built program runs the demo to its end by itself: no account, no network, no key', () => {
  const home = mkdtempSync(join(tmpdir(), 'muster-demo-home-'))
  try {
    const env = { PATH: process.env['PATH'] ?? '', HOME: home, USER: 'tester', TMPDIR: home }
    const ended = spawnSync(process.execPath, [join(root, 'bin/muster.mjs'), 'demo'], {
      env,
      cwd: home,
      encoding: 'utf8',
    })
    expect(ended.status, ended.stderr).toBe(0)
    expect(ended.stdout).toMatch(/^ +state +REVIEW_READY\n +tasks +5 completed$/m)
    expect(ended.stderr).toContain('What to try next')
    expect(readdirSync(home).filter((name) => name.startsWith('muster-demo-'))).toEqual([])
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
})
