/**
 * How much of the house one checked task runs through, from `muster run` to its landing: the real command line from its
 * sources, in a repository of its own, with shell scripts as implementer, check and checker. V8 counts.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { inTemp, makeRepository } from '../measure.ts'
import { ROOT } from './sources.ts'

const runMsMax = 120_000

export interface Way {
  /** Files of src/ of which at least one function ran, with how many of them; what runs when a file is loaded is left out. */
  files: Record<string, number>
}

interface Coverage {
  result: { url: string; functions: { ranges: { startOffset: number; endOffset: number; count: number }[] }[] }[]
}

const PASS = `printf '{"verdict":"pass","nonce":"%s","detail":"fine"}' "$MUSTER_NONCE" >"$MUSTER_VERDICT_FILE"`
const CONFIG = `version: 1
agents:
  implementer: { runtime: command, run: echo done >done.txt, verdict: exit }
  checker: { runtime: command, run: ${JSON.stringify(PASS)}, verdict: file }
checks: { there: test -s done.txt }
phases: checked
sandbox: off
`
const PLAN = `meta: { id: shop, name: The shop }
tasks:
  - { id: 1, name: Write done.txt, checks: [there] }
`

export function wayOfOneTask(): Promise<Way> {
  return inTemp(async (dir) => {
    const { repository, env } = makeRepository(dir, CONFIG)
    const coverage = join(dir, 'coverage')
    mkdirSync(coverage)
    writeFileSync(join(repository, 'plan.yaml'), PLAN)
    const args = [join(ROOT, 'src/cli/main.ts'), 'run', 'plan.yaml', '--json']
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      cwd: repository,
      env: { ...env, NODE_V8_COVERAGE: coverage },
      timeout: runMsMax,
      maxBuffer: 1024 ** 2,
    })
    const { tasks } = JSON.parse(stdout) as { tasks: { id: string; status: string; checker?: { status: string } }[] }
    const [task] = tasks
    if (task?.status !== 'completed' || task.checker?.status !== 'passed')
      throw new Error(`the task did not complete as checked:\n${stdout}`)
    return { files: functionsIn(coverage) }
  })
}

/** Of all processes that wrote there. */
function functionsIn(dir: string): Record<string, number> {
  const src = `${pathToFileURL(join(ROOT, 'src')).href}/`
  const ran = new Map<string, Set<string>>()
  for (const file of readdirSync(dir)) {
    const { result } = JSON.parse(readFileSync(join(dir, file), 'utf8')) as Coverage
    for (const { url, functions } of result.filter((each) => each.url.startsWith(src))) {
      const places = ran.get(url) ?? new Set()
      ran.set(url, places)
      // The first of a module is the module itself.
      for (const { ranges } of functions.slice(1)) {
        const [whole] = ranges
        if (whole !== undefined && whole.count > 0) places.add(`${whole.startOffset}-${whole.endOffset}`)
      }
    }
  }
  const counted = [...ran].filter(([, places]) => places.size > 0).toSorted(([a], [b]) => a.localeCompare(b))
  return Object.fromEntries(counted.map(([url, places]) => [`src/${url.slice(src.length)}`, places.size]))
}
