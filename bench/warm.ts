/**
 * A large repository with dependencies: how long its first workspace takes, with the setup, and how long the next ones do,
 * each at a commit of its own. Real git and a real setup, which unpacks an archive as installing packages would.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { engineParts, openWorkspaces } from '../src/app.ts'
import { Hub } from '../src/engine/loop/hub.ts'
import type { Store } from '../src/ports/store.ts'
import { canLayer } from '../src/process/layers.ts'
import { openProject } from '../src/project.ts'
import type { Row } from './main.ts'
import { inTemp, makeRepository, percentile, round, sort } from './measure.ts'

const tracked = 20_000
const dependencies = 20_000
const times = 9

export function warm(): Promise<Row[]> {
  return inTemp(async (dir) => {
    const agent = 'agents:\n  implementer: { runtime: command, run: "true", verdict: exit }\n'
    const { repository, env } = makeRepository(dir, `${agent}setup: tar -xf ${dir}/packages.tar\nsandbox: auto\n`)
    files(join(dir, 'packages/node_modules'), dependencies)
    execFileSync('tar', ['-cf', join(dir, 'packages.tar'), '-C', join(dir, 'packages'), 'node_modules'])
    files(join(repository, 'src'), tracked)
    writeFileSync(join(repository, '.gitignore'), 'node_modules\n')
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.invalid', ...args], { cwd: repository })
    git('add', '-A')
    git('commit', '-qm', 'Many files')
    const project = await openProject(repository, env)
    const workspaces = await openWorkspaces(project, env)
    const parts = engineParts(project, {} as Store, workspaces, new Hub())
    const make = async (n: number): Promise<number> => {
      const base = await workspaces.attemptBase(null, 'main')
      const start = performance.now()
      const golden = await parts.golden.copyFor(
        { base, target: 'main', setup: project.config.setup, copy: [] },
        () => {},
      )
      await workspaces.checkout({
        dir: join(project.dataDir, 'workspaces', String(n)),
        base,
        branch: 'muster/task/t',
        index: join(dir, `index-${n}`),
        golden,
        copy: { root: repository, paths: [] },
      })
      return performance.now() - start
    }
    mkdirSync(join(project.dataDir, 'workspaces'), { recursive: true })
    const first = await make(0)
    const later: number[] = []
    for (let n = 1; n <= times; n++) {
      writeFileSync(join(repository, 'src/0/0.js'), `${n}\n`)
      git('commit', '-qam', `Change ${n}`)
      later.push(await make(n))
    }
    const next = percentile(sort(later), 50)
    const layered = await canLayer(join(project.dataDir, 'workspaces'))
    return [
      {
        what: `warm workspace, ${tracked} files and ${dependencies} of dependencies, ${layered ? 'overlay' : 'copied'}`,
        measured: `${(first / next).toFixed(0)} × faster than the first (${next.toFixed(0)} ms)`,
        aim: layered ? '≥ 20 ×' : 'a small fraction',
        met: !layered || first / next >= 20,
        figures: { ratio: round(first / next, 1), firstMs: Math.round(first), nextMs: Math.round(next) },
      },
    ]
  })
}

function files(dir: string, count: number): void {
  for (let n = 0; n < count; n++) {
    const folder = join(dir, String(Math.floor(n / 100)))
    if (n % 100 === 0) mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `${n}.js`), `export const number${n} = ${n}\n`.repeat(20))
  }
}
