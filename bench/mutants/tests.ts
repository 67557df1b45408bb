/**
 * One vitest for many runs, in a process of its own that may be ended when a mutant does not come to an end. It works on
 * the copy of the tree in which it was started, and is told what to run: see `Ask`.
 */
import { join, relative } from 'node:path'
import type { Plugin } from 'vite'
import type { TestModule, TestSpecification, Vitest } from 'vitest/node'
import { createVitest } from 'vitest/node'
import { withProbes } from './probes.ts'

/** Tests of one file by their full names; without names, all of them. */
export interface Chosen {
  file: string
  names: string[] | null
}

export type Ask = { changed: string | null; tests: Chosen[]; timeoutMs: number }

export interface TestSeen {
  name: string
  ms: number
  hits: number[]
}

export interface FileSeen {
  file: string
  ok: boolean
  load: number[]
  tests: TestSeen[]
}

export interface Answer {
  /** The first test that failed, or what else went wrong; null: all is well. */
  failed: string | null
  timedOut: boolean
  files: FileSeen[]
}

/** In the order of the sources: `withProbes` numbers them so. */
function probing(root: string, sources: readonly string[]): Plugin {
  return {
    name: 'probes',
    enforce: 'pre',
    transform(code, id) {
      const file = relative(root, id)
      const index = sources.indexOf(file)
      return index === -1 ? null : { code: withProbes(file, code, index).text, map: null }
    },
  }
}

async function open(root: string, sources: readonly string[] | null): Promise<Vitest> {
  const vitest = await createVitest(
    'test',
    {
      config: false,
      root,
      watch: false,
      pool: 'forks',
      maxWorkers: 1,
      fileParallelism: false,
      isolate: sources !== null,
      bail: sources === null ? 1 : 0,
      include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
      setupFiles: ['test/support/setup.ts', ...(sources === null ? [] : ['bench/mutants/hits.ts'])],
      reporters: [{}],
      sequence: {
        sequencer: class {
          shard = async (all: TestSpecification[]) => all
          sort = async (all: TestSpecification[]) => all
        },
      },
      onConsoleLog: () => false,
    },
    {
      root,
      cacheDir: join(root, '.cache'),
      server: { watch: null },
      plugins: sources === null ? [] : [probing(root, sources)],
    },
  )
  await vitest.standalone()
  return vitest
}

async function run(vitest: Vitest, root: string, { changed, tests, timeoutMs }: Ask): Promise<Answer> {
  if (changed !== null) vitest.invalidateFile(join(root, changed))
  const project = vitest.getRootProject()
  project.config.testTimeout = timeoutMs
  // What is made before all tests of a file takes longer than one of them.
  project.config.hookTimeout = Math.max(timeoutMs, 30_000)
  const chosen = tests.map(({ file, names }) => {
    return project.createSpecification(join(root, file), names === null ? undefined : { testNames: names })
  })
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(chosen)
  // It is as it was before the next run.
  if (changed !== null) vitest.invalidateFile(join(root, changed))
  const ran = testModules.filter((module) => chosen.some(({ moduleId }) => moduleId === module.moduleId))
  const failures = ran.flatMap((module) => failuresOf(root, module))
  const [failed = null] = [...failures, ...unhandledErrors.map(String)]
  return {
    failed,
    timedOut: failed !== null && /timed out in \d+ms/.test(failed),
    files: ran.map((module) => seen(root, module)),
  }
}

function failuresOf(root: string, module: TestModule): string[] {
  const file = relative(root, module.moduleId)
  const own = module.errors().map(({ message }) => `${file}: ${message}`)
  const tests = [...module.children.allTests('failed')].map((test) => {
    return `${file}: ${test.fullName}: ${test.result().errors?.[0]?.message ?? 'failed'}`
  })
  return [...own, ...tests]
}

function seen(root: string, module: TestModule): FileSeen {
  const tests = [...module.children.allTests('passed')].map((test) => {
    return { name: test.fullName, ms: test.diagnostic()?.duration ?? 0, hits: test.meta().hits ?? [] }
  })
  return { file: relative(root, module.moduleId), ok: module.ok(), load: module.meta().load ?? [], tests }
}

const [root = '', sources = ''] = process.argv.slice(2)
process.on('disconnect', () => process.exit())
const vitest = await open(root, sources === '' ? null : (JSON.parse(sources) as string[]))
process.on('message', (ask: Ask) => {
  run(vitest, root, ask).then(
    (answer) => process.send?.(answer),
    (error: unknown) => process.send?.({ failed: String(error), timedOut: false, files: [] } satisfies Answer),
  )
})
process.send?.('ready')
