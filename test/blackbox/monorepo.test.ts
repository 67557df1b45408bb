/** A repository of several packages, from `init` to a verified task: each package's tests where they are concerned. */
import { describe, expect, test } from 'vitest'
import type { Repo, RunDocument } from '../support/muster.ts'
import { exited, makeRepo } from '../support/muster.ts'

/** `api` uses `core`; `web` uses nothing. npm would link them; here a path does. */
function monorepo(agent: string): Repo {
  const repo = makeRepo({ agent })
  repo.git('clean', '--quiet', '--force', '-e', 'agent.sh')
  const pack = (name: string, dependencies = {}) =>
    repo.write(
      `packages/${name}/package.json`,
      JSON.stringify({ name, version: '1.0.0', scripts: { test: 'node test.js' }, dependencies }),
    )
  repo.write('package.json', JSON.stringify({ private: true, workspaces: ['packages/*'] }))
  pack('core')
  pack('api', { core: '1.0.0' })
  pack('web')
  repo.write('packages/core/index.js', 'exports.price = 5\n')
  repo.write('packages/core/test.js', "require('./index.js')\n")
  repo.write('packages/api/test.js', "require('../core/index.js')\n")
  repo.write('packages/web/test.js', '')
  repo.write('.gitignore', 'node_modules\nagent.sh\nmuster.yaml\nplan.yaml\npackage-lock.json\n')
  repo.git('add', '.')
  repo.git('commit', '-qm', 'Packages')
  return repo
}

const init = (repo: Repo) => repo.here('init', '--agent', './agent.sh', '--force', '--no-try')

describe.concurrent('a monorepo', () => {
  test('init gives each package its check, and a change runs those that it concerns', async () => {
    const repo = monorepo('echo "exports.price = 6" >packages/core/index.js')
    const said = exited(await init(repo), 0).stderr
    for (const name of ['api', 'core', 'web'])
      expect(said).toContain(`check   unit-test-${name}: npm test (in packages/${name})`)
    // Nothing is linked, so nothing has to be installed.
    const settings = 'phases: direct\nsandbox: off\ndecisions: scripted\nprotected: []\n'
    repo.write(
      'muster.yaml',
      repo.read('muster.yaml').replace(/^(?:setup|phases|sandbox|protected):.*\n/gm, '') + settings,
    )
    repo.write('plan.yaml', 'meta: { id: p }\ntasks:\n  - { id: 1, name: Raise the price }\n')
    const ran = exited(await repo.muster('run', 'plan.yaml', '--json'), 0).json<RunDocument>()
    const answers = ran.tasks[0]?.results?.criteria.filter(({ activity }) => activity.startsWith('unit-test'))
    expect(new Set(answers?.map(({ activity, status }) => `${activity} ${status}`))).toEqual(
      new Set(['unit-test-api pass', 'unit-test-core pass', 'unit-test-web skipped']),
    )
    const shown = exited(await repo.here('show', 'p-1'), 0).stdout
    expect(shown).toMatch(/– c\d+ +unit-test-web {2}skipped {2}not run: the change does not touch its paths/)
    const now = repo.read('packages/web/package.json').replace('"dependencies":{}', '"dependencies":{"core":"1.0.0"}')
    repo.write('packages/web/package.json', now)
    expect((await repo.here('doctor', '--no-try')).stdout).toContain(
      'unit-test-web does not run for changes in packages/core/**, which packages/web uses',
    )
  })

  test('a repository without tests in any package is told what can still be verified', async () => {
    const repo = makeRepo()
    repo.write('package.json', JSON.stringify({ workspaces: ['packages/*'] }))
    repo.write('packages/a/package.json', JSON.stringify({ name: 'a', version: '1.0.0' }))
    repo.git('add', 'package.json', 'packages')
    repo.git('commit', '-qm', 'Packages')
    const said = exited(await init(repo), 0).stderr
    expect(said).toContain('no test command was found. Muster can verify criteria about files')
    expect(said).toContain('checks: { unit-test: <command> }')
  })
})
