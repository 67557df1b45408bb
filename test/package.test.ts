/** The package itself: what it says about itself is true. */
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { findTopic, topics } from '../src/cli/topics.ts'
import { version } from '../src/version.ts'
import { serveRegistry, shippedPackages } from './support/registry.ts'

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

describe('what is in the package', () => {
  const packed = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, encoding: 'utf8' }),
  ) as [{ files: { path: string }[]; unpackedSize: number }]
  const files = packed[0].files.map(({ path }) => path)

  test('every page of the documentation that messages name is there, and a topic of muster help', () => {
    const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
    )
    const named = new Set(sources.flatMap((name) => read(join('src', name)).match(/\bdocs\/[\w-]+\.md\b/g) ?? []))
    // An example of a criterion about somebody's own page.
    named.delete('docs/api.md')
    expect(named.size).toBeGreaterThan(8)
    for (const page of named) {
      expect(files).toContain(page)
      expect(findTopic(page), page).not.toBe(null)
    }
    expect(topics().map((topic) => `docs/${topic}.md`)).toEqual(files.filter((path) => path.startsWith('docs/')))
  })

  test('it is small: no pictures, no sources, no tests', () => {
    expect(files).toContain('examples/javascript-library/agent.sh')
    expect(files.filter((path) => /\.(?:png|tsx?|map)$|^(?:src|test|bench|web)\//.test(path))).toEqual([])
  })
})

describe('a global installation into an empty prefix', () => {
  test('nothing that comes along is deprecated or wants to run a script', () => {
    const wrong = [...shippedPackages()].filter(
      ([, { deprecated, hasInstallScript }]) => deprecated || hasInstallScript,
    )
    expect(wrong).toEqual([])
  })

  test('warns of nothing, and muster works from there: version, help, init', async () => {
    const top = realpathSync(mkdtempSync(join(tmpdir(), 'muster-install-')))
    const [home, prefix, project] = ['home', 'prefix', 'project'].map((name) => join(top, name)) as [
      string,
      string,
      string,
    ]
    for (const folder of [home, prefix, project]) mkdirSync(folder)
    const PATH = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`
    const env = { PATH, HOME: home, USER: 'tester', MUSTER_HOME: join(top, 'state') }
    const run = async (program: string, args: string[], cwd = top) => {
      const { stdout, stderr } = await promisify(execFile)(program, args, { cwd, env, encoding: 'utf8' })
      return { stdout, stderr }
    }
    const registry = await serveRegistry(top)
    try {
      await run('npm', ['pack', root, '--ignore-scripts', '--pack-destination', top, '--loglevel', 'error'])
      const archive = join(top, `passmuster-${version}.tgz`)
      const install = ['install', '--global', '--prefix', prefix, '--registry', registry.url, archive]
      const installed = await run('npm', [...install, '--no-audit', '--no-update-notifier'])
      expect(`${installed.stdout}${installed.stderr}`).not.toMatch(/warn|deprecat|EBADENGINE/i)
      expect(installed.stdout).toMatch(/^\s*added \d+ packages? in /)
      expect(registry.missing).toEqual([])
      const muster = (args: string[]) => run(join(prefix, 'bin/muster'), args, project)
      expect(await muster(['--version'])).toEqual({ stdout: `${version}\n`, stderr: '' })
      expect((await muster(['help', 'checks'])).stdout).toMatch(/^CHECKS\n/)
      expect((await muster(['completion', 'bash'])).stdout).toContain('complete -F _muster muster')
      await run('git', ['init', '--quiet', '--initial-branch', 'main'], project)
      await run(
        'git',
        [
          '-c',
          'user.name=T',
          '-c',
          'user.email=t@example.invalid',
          'commit',
          '--quiet',
          '--allow-empty',
          '-m',
          'Begin',
        ],
        project,
      )
      await muster(['init', '--no-try', '--schema'])
      const config = readFileSync(join(project, 'muster.yaml'), 'utf8')
      expect(config).not.toContain(top)
      expect(config).toContain('$schema=./.muster/muster.schema.json')
    } finally {
      registry.close()
      rmSync(top, { recursive: true, force: true })
    }
  })
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
