/** Projects that Muster verifies: with files of their own, and an agent that does for each task what the test says. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CriterionResult } from '../../src/domain/verdict/evidence.ts'
import type { RunView } from '../../src/engine/views/run-view.ts'
import type { TaskView } from '../../src/engine/views/views.ts'
import type { Repo, RunDocument } from './muster.ts'
import { exited, makeRepo } from './muster.ts'

export interface ProjectOptions {
  /** Committed before anything else. */
  files: Record<string, string>
  /** What the agent does: for `<task>.<attempt>`, or for every attempt at `<task>`. */
  deeds: Record<string, string>
  /** Lines of muster.yaml. */
  config?: string
}

export function makeProject({ files, deeds, config = '' }: ProjectOptions): Repo {
  const cases = Object.entries(deeds).map(([of, deed]) => {
    return `${/\.\d+$/.test(of) ? of : `${of}.*`})\n${deed}\n;;\n`
  })
  const agent = `set -e\ncase "$MUSTER_TASK_ID.$MUSTER_ATTEMPT" in\n${cases.join('')}esac`
  const repo = makeRepo({ agent, config })
  for (const [path, text] of Object.entries(files)) {
    if (text.startsWith('#!')) repo.script(path, text.slice(text.indexOf('\n') + 1))
    else repo.write(path, text)
  }
  if (Object.keys(files).length === 0) return repo
  repo.git('add', '--all', '--', ...Object.keys(files))
  repo.git('commit', '--quiet', '--message', 'The project')
  return repo
}

/** A phase map that verifies and lands, and holds what the verification sends back for the first time. */
export const ONCE =
  '{ implement: { run: agent implementer, on_pass: verify, on_fail: implement }, verify: { run: check contract, on_pass: land, on_fail: implement, attempts: 1 }, land: { run: action merge, on_pass: done, on_fail: implement } }'

/** Shell: the file with exactly this text. */
export const write = (path: string, text: string): string => `cat >${path} <<'END'\n${text.trimEnd()}\nEND`

/** This project's own packages, for a checkout that needs some of them; what tools leave there stays there. */
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url))
export const SETUP = `mkdir node_modules && ln -s ${modules}/* ${modules}/.bin node_modules`

export async function runPlan(
  repo: Repo,
  plan: string,
  code: number,
  muster: Repo['muster'] = repo.muster,
): Promise<Record<string, TaskView>> {
  repo.write('plan.yaml', plan)
  const run = exited(await muster('run', 'plan.yaml', '--json'), code)
  return Object.fromEntries(run.json<RunDocument>().tasks.map((task) => [task.id, task]))
}

export type Shown = TaskView & { runs: RunView[] }

export const show = async (repo: Repo, id: string): Promise<Shown> =>
  exited(await repo.here('show', id, '--json'), 0).json<Shown>()

export function criterion(task: TaskView | undefined, activity = 'unit-test'): CriterionResult {
  const found = task?.results?.criteria.find((one) => one.activity === activity)
  if (found === undefined) throw new Error(`${task?.id} has no result of ${activity}: ${JSON.stringify(task?.results)}`)
  return found
}

/** Folders that a verification must not leave behind. */
export function leftovers(repo: Repo): string[] {
  return ['checkouts', 'workspaces'].flatMap((name) => {
    const dir = join(repo.dataDir(), name)
    return existsSync(dir) ? readdirSync(dir).map((left) => `${name}/${left}`) : []
  })
}
