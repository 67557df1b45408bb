/**
 * `npm run mutants`: makes small wrong changes to the code, one at a time, in a copy of the tree, and looks whether the
 * tests that run through the changed place notice. Goes on where it was interrupted; prints the score and what nobody
 * noticed. `--again` tries those once more, `--only <part of a path>` takes mutants of some files.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { makeMemory, memory } from '../../test/support/memory.ts'
import type { Choice } from './choose.ts'
import { findCoverage } from './coverage.ts'
import equivalents from './equivalent.json' with { type: 'json' }
import { Results, type End, type Result } from './results.ts'
import { Targets, type Target } from './targets.ts'
import { Tester } from './tester.ts'
import { HERE, copyTree } from './tree.ts'

const answerMs = 60_000
const testMsMin = 10_000

/** A change that no test can notice, with the reason. */
interface Equivalent {
  mutant: string
  why: string
}

const { values: options } = parseArgs({
  options: {
    count: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    /** Where results and what is known of the tests are kept. */
    state: { type: 'string', default: join(HERE, 'node_modules/.cache/mutants') },
    /** Seconds of tests for one mutant, as long as they take when nothing is wrong; and of more tests if it survives those. */
    budget: { type: 'string', default: '10' },
    more: { type: 'string', default: '30' },
    again: { type: 'boolean', default: false },
  },
})
const reasons = new Map((equivalents as Equivalent[]).map(({ mutant, why }) => [mutant, why]))
const tell = (line: string) => process.stdout.write(`${line}\n`)
const nameOf = ({ file, line, id }: Target) => `${file}:${line}  ${id.slice(file.length + 3)}`

/** A text: why nothing can be told. The tests are late or fail without the change too. */
async function tryOne(
  root: string,
  tester: Tester,
  target: Target,
  steps: readonly Choice[],
): Promise<Result | string> {
  const began = performance.now()
  const path = join(root, target.file)
  const text = readFileSync(path, 'utf8')
  const changed = text.slice(0, target.start) + target.text + text.slice(target.end)
  const ask = async (source: string, { tests, ms, slowestMs }: Choice): Promise<[End, string | null]> => {
    writeFileSync(path, source)
    const timeoutMs = Math.max(testMsMin, 4 * slowestMs)
    const answer = await tester.ask({ changed: target.file, tests, timeoutMs }, answerMs + timeoutMs + 4 * ms)
    writeFileSync(path, text)
    if (answer === 'no answer') return ['timeout', null]
    if (answer.failed === null) return ['survived', null]
    return [answer.timedOut ? 'timeout' : 'killed', answer.failed.slice(0, 300)]
  }
  let [end, by]: [End, string | null] = ['survived', null]
  for (const step of steps) {
    ;[end, by] = await ask(changed, step)
    const [without, why] = end === 'timeout' ? await ask(text, step) : ['survived']
    if (without !== 'survived') return `${without} without the change too: ${why}`
    if (end !== 'survived') break
  }
  return { id: target.id, source: target.sourceHash, end, by, ms: Math.round(performance.now() - began) }
}

function report(taken: readonly Target[], results: Results): void {
  const of = (end: End) => taken.filter((target) => results.of(target)?.end === end)
  const survivors = of('survived')
  const left = survivors.filter(({ id }) => !reasons.has(id))
  const late = of('timeout').length
  const killed = of('killed').length + late
  for (const target of left) tell(`survived: ${nameOf(target)}`)
  for (const target of survivors.filter(({ id }) => reasons.has(id)))
    tell(`equivalent: ${nameOf(target)}\n  ${reasons.get(target.id)}`)
  const score = ((100 * killed) / (killed + left.length)).toFixed(1)
  const times = taken.flatMap((target) => results.of(target)?.ms ?? [])
  const seconds = times.reduce((sum, ms) => sum + ms, 0) / 1000 / times.length
  tell(`${killed} of ${killed + left.length} killed: ${score} %`)
  tell(`${late} of them by time; ${left.length} survived; ${survivors.length - left.length} more are equivalent`)
  tell(`${seconds.toFixed(1)} s for each; ${taken.length - times.length} could not be told`)
}

async function main(): Promise<void> {
  setPriority(10)
  const results = new Results(options.state)
  const tree = copyTree()
  const { root, sources, testFiles } = tree
  const removeMemory = makeMemory()
  const probed = new Tester(root, memory, sources)
  const tester = new Tester(root, memory, null)
  process.on('SIGINT', () => process.exit(130))
  process.on('SIGTERM', () => process.exit(143))
  process.on('exit', () => {
    probed.stop()
    tester.stop()
    rmSync(root, { recursive: true, force: true })
    removeMemory()
  })
  const coverage = await findCoverage(root, options.state, sources, testFiles, probed, tell)
  probed.stop()
  if (coverage.unfit.length > 0) tell(`not used, because they fail here: ${coverage.unfit.join(', ')}`)
  const targets = new Targets(tree, coverage)
  const taken = targets.sample(options.seed, Number(options.count), options.only)
  tell(`${targets.all.length} mutants, ${targets.covered.length} of them where tests run`)
  tell(`${taken.length} taken with seed ${options.seed}`)
  const budget = { firstMs: Number(options.budget) * 1000, moreMs: Number(options.more) * 1000 }
  for (const [index, target] of taken.entries()) {
    const known = results.of(target)
    if (known !== undefined && !(options.again && known.end === 'survived' && !reasons.has(target.id))) continue
    const result = await tryOne(root, tester, target, targets.testsFor(target, budget))
    if (typeof result !== 'string') results.add(result)
    const said = typeof result === 'string' ? result : `${result.end} ${(result.ms / 1000).toFixed(1)} s`
    tell(`${index + 1}/${taken.length} ${said}  ${nameOf(target)}`)
  }
  report(taken, results)
}

await main()
process.exit()
