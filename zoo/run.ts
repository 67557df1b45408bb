/**
 * The zoo: how Muster does on repositories that nobody here wrote. Given a folder of git directories it clones each,
 * runs `muster init` and `muster doctor`, and then a few changes through a scripted agent, with nothing but what `init`
 * found. It knows no repository by name.
 *
 *   node zoo/run.ts <folder> [--only <part of a name>] [--out results.json] [--facts zoo/facts.json]
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Change, variantsOf, type Variant } from './changes.ts'
import { findFix, type Fix } from './history.ts'
import { must, run } from './shell.ts'
import { type Row, type Seen, tableOf } from './table.ts'

const muster = [process.execPath, join(import.meta.dirname, '../bin/muster.mjs')]
const AGENT = 'true # the zoo says what it does'

interface Fact {
  name: string
  tests: number | null
  /** The fix to try; without one, the newest that the history has. */
  fix?: string
}

interface Tried {
  setup: { ok: boolean; why: string | null; durationMs: number } | null
  checks: { name: string; result: string; counts: { executed: number } | null; why: string | null }[]
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, out: { type: 'string' }, facts: { type: 'string' } },
})
const [folder] = positionals
if (folder === undefined) {
  process.stderr.write('usage: node zoo/run.ts <folder of git directories> [--only name] [--facts file] [--out file]\n')
  process.exit(2)
}
const facts = values.facts === undefined ? [] : (JSON.parse(readFileSync(values.facts, 'utf8')) as Fact[])
const rows: Row[] = []
for (const { name, path } of repositoriesIn(resolve(folder))) {
  if (values.only !== undefined && !name.includes(values.only)) continue
  process.stderr.write(`${name} …\n`)
  const row = visit(name, path)
  rows.push(row)
  process.stderr.write(`${JSON.stringify(row)}\n`)
  if (values.out !== undefined) writeFileSync(values.out, `${JSON.stringify(rows, null, 2)}\n`)
}
process.stdout.write(tableOf(rows))

/** Bare ones, clones, and folders that hold one. */
function repositoriesIn(top: string): { name: string; path: string }[] {
  return readdirSync(top)
    .toSorted()
    .flatMap((name) => {
      const path = ['', 'repo', '.git'].map((sub) => join(top, name, sub)).find((dir) => existsSync(join(dir, 'HEAD')))
      return path === undefined ? [] : [{ name: basename(name, '.git'), path }]
    })
}

function visit(name: string, path: string): Row {
  const top = mkdtempSync(join(tmpdir(), 'muster-zoo-'))
  const [dir, home] = [join(top, 'project'), join(top, 'home')]
  mkdirSync(home)
  try {
    must(['git', 'clone', '--quiet', path, dir], top, home)
    const fact = facts.find((one) => one.name.replace('/', '+') === name)
    const fix = fact?.fix === undefined ? findFix(dir, home) : findFix(dir, home, fact.fix)
    must(['git', 'checkout', '--quiet', '-B', 'main', fix?.parent ?? 'HEAD'], dir, home)
    must(['git', 'remote', 'remove', 'origin'], dir, home)
    return {
      name,
      ...look(dir, home, fact?.tests ?? null),
      ...(fix === null ? {} : { fix: fix.commit.slice(0, 10) }),
      changes: tryChanges(fix, dir, top, home),
    }
  } catch (error) {
    return { name, problem: (error as Error).message, changes: {} }
  } finally {
    rmSync(top, { recursive: true, force: true })
  }
}

/** `init`, and what `doctor` says after it. */
function look(dir: string, home: string, expected: number | null): Omit<Row, 'name' | 'changes'> {
  const init = run([...muster, 'init', '--agent', AGENT, '--json'], dir, home, 30)
  if (init.code !== 0)
    return { problem: `init ended with ${init.code}: ${init.stderr.trim().split('\n').at(-1) ?? ''}` }
  const { setup, checks, tried, missing } = JSON.parse(init.stdout) as {
    setup: string | null
    checks: Record<string, string>
    tried: Tried | null
    missing: string[]
  }
  const doctor = run([...muster, 'doctor', '--json'], dir, home, 30)
  const tests = tried?.checks.find((check) => check.name === 'unit-test')
  const said = checks['unit-test'] === undefined ? 'no test command was found' : tests?.why
  return {
    setup:
      setup === null
        ? 'none'
        : tried?.setup?.ok === true
          ? `${setup} (${Math.round(tried.setup.durationMs / 1000)} s)`
          : `✗ ${setup}: ${tried?.setup?.why ?? 'not tried'}`,
    command: checks['unit-test'] ?? null,
    result: tests?.result ?? 'none',
    tests: tests?.counts?.executed ?? null,
    expected,
    why: [said ?? [], missing].flat().join('; '),
    doctor: doctor.code,
  }
}

function tryChanges(fix: Fix | null, dir: string, top: string, home: string): Partial<Record<Change, Seen>> {
  if (fix === null) return {}
  const text = readFileSync(join(dir, 'muster.yaml'), 'utf8')
  const seen: Partial<Record<Change, Seen>> = {}
  for (const variant of variantsOf(fix, dir, top, home)) {
    writeFileSync(join(dir, 'muster.yaml'), text.replace(JSON.stringify(AGENT), JSON.stringify(variant.agent)))
    const one = tryOne(variant, fix, dir, home)
    // What the repository's own tests do not notice is no fault of the gate's, nor that a fix is red there itself.
    const asked = variant.mayLand ? !one.landed : one.landed && variant.change === 'broken'
    const doubtful = asked && isNoticed(variant, fix, dir, top, home) === variant.mayLand
    seen[variant.change] = doubtful ? { ...one, doubtful: true } : one
  }
  return seen
}

/** Whether the repository's own setup and test command, typed by hand, end otherwise than with 0. */
function isNoticed({ agent, change }: Variant, { parent }: Fix, dir: string, top: string, home: string): boolean {
  const own = join(top, `own-${change}`)
  must(['git', 'clone', '--quiet', dir, own], top, home)
  must(['git', 'checkout', '--quiet', parent], own, home)
  const found = run([...muster, 'init', '--agent', 'true', '--no-try', '--json'], own, home)
  const { setup, checks } = JSON.parse(found.stdout) as { setup: string | null; checks: Record<string, string> }
  const words = [agent, ...(setup === null ? [] : [setup]), checks['unit-test'] ?? 'true'].join(' && ')
  return run(['sh', '-c', words], own, home, 30).code !== 0
}

/** One task whose verification lands it, on a branch of its own. */
function tryOne({ change }: Variant, { subject }: Fix, dir: string, home: string): Seen {
  const plan = {
    meta: { id: change, name: `Zoo ${change}` },
    phases: 'direct',
    tasks: [{ id: 1, name: `Fix: ${subject}`.slice(0, 200), max_attempts: 1 }],
  }
  writeFileSync(join(dir, 'zoo-plan.yaml'), JSON.stringify(plan))
  const ended = run([...muster, 'run', 'zoo-plan.yaml', '--json'], dir, home, 30)
  try {
    const { tasks } = JSON.parse(ended.stdout) as {
      tasks: {
        status: string
        waitingFor: string | null
        failureReason: string | null
        findings: { message: string }[]
      }[]
    }
    const [task] = tasks
    const why = task?.waitingFor ?? task?.failureReason ?? task?.findings.at(-1)?.message ?? ''
    return { landed: task?.status === 'completed', why: why.split('\n')[0] ?? '', seconds: Math.round(ended.ms / 1000) }
  } catch {
    return {
      landed: false,
      why: `run ended with ${ended.code}: ${ended.stderr.trim().split('\n').at(-1) ?? ''}`,
      seconds: Math.round(ended.ms / 1000),
    }
  }
}
