/**
 * How well tasks are classified, on labelled data of one's own: `npm run bench:classify -- <folder>` with `titles.jsonl`
 * ({ title, label, provenance?, cluster? }) and `commits.jsonl` ({ text, repo?, files, class, class_files }). Prints
 * confusion matrices beside those of a naive substring matcher, what the diff corrects, and how long contracts take.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { classify } from '../src/contract/classify.ts'
import { confirmContract } from '../src/contract/confirm.ts'
import type { ContractProject } from '../src/contract/generate.ts'
import { generateContract } from '../src/contract/generate.ts'
import { indexFiles } from '../src/contract/predict.ts'
import { ruleBook } from '../src/contract/rules.ts'
import type { Contract, ContractType } from '../src/domain/contract/contract.ts'
import { factsOf } from '../src/tools/facts.ts'
import { DEFAULT_RULES } from '../src/domain/contract/rules.ts'
import { percentile, round, sort } from './measure.ts'

const TYPES: readonly ContractType[] = ['verifiable', 'advisory', 'skip']

interface Labelled {
  text: string
  label: ContractType
  files?: string[]
  /** Rows that are alike in some way, to see whether what holds for some holds for others. */
  group: string
}

interface Title {
  title: string
  label: ContractType
  provenance?: string
  cluster?: string
}

interface Commit {
  text: string
  repo?: string
  files: string[]
  class: ContractType | null
  class_files: ContractType
}

const dir = process.argv[2]
if (dir === undefined) {
  console.error('usage: npm run bench:classify -- <folder with titles.jsonl and commits.jsonl>')
  process.exit(2)
}
const titles = readLines<Title>('titles.jsonl')
const commits = readLines<Commit>('commits.jsonl')

const labelledTitles = (provenance: string) =>
  titles
    .filter((row) => (row.provenance ?? 'real') === provenance)
    .map(({ title, label, cluster = '' }): Labelled => ({
      text: title,
      label,
      group: cluster.replace(/^other:.*/, 'other'),
    }))
const labelledCommits = (withFiles: boolean) =>
  commits.flatMap((row): Labelled[] => {
    const { text, files, repo = '' } = row
    return row.class === null ? [] : [{ text, label: row.class, group: repo, ...(withFiles ? { files } : {}) }]
  })

const muster = ({ text, files }: Labelled) => classify(text, files).type
measure('titles, real', labelledTitles('real'))
measure('titles, probes', labelledTitles('probe'))
measure('commits with a class, text alone', labelledCommits(false))
measure('commits with a class, text and files', labelledCommits(true))
confirm()

function readLines<T>(name: string): T[] {
  const text = readFileSync(join(dir ?? '.', name), 'utf8')
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as T)
}

function measure(what: string, rows: readonly Labelled[]): void {
  if (rows.length === 0) return
  console.log(`\n${what} (${rows.length})`)
  matrix('muster', rows, muster)
  matrix('naive', rows, ({ text }) => naive(text))
  const groups = [...Map.groupBy(rows, ({ group }) => group)].filter(([, some]) => some.length >= 5)
  const each = groups.map(([group, some]) => `${group} ${accuracy(some, muster)} (${some.length})`)
  if (each.length > 1) console.log(`  by group: ${each.join(', ')}`)
  const ambiguous = rows.filter(({ text, files }) => classify(text, files).ambiguous)
  console.log(`  ambiguous: ${ambiguous.length}`)
}

function matrix(who: string, rows: readonly Labelled[], guess: (row: Labelled) => ContractType): void {
  const cells = rows.map((row) => ({ label: row.label, guess: guess(row) }))
  const count = (label: ContractType | null, guessed: ContractType | null) =>
    cells.filter((cell) => (label ?? cell.label) === cell.label && (guessed ?? cell.guess) === cell.guess).length
  console.log(`  ${who}: accuracy ${accuracy(rows, guess)}`)
  console.log(`    ${'label'.padEnd(12)}${TYPES.map((type) => `→ ${type}`.padEnd(14)).join('')}precision  recall`)
  for (const type of TYPES) {
    const share = (of: number) => (of === 0 ? '-' : String(round(count(type, type) / of, 3)))
    const counts = TYPES.map((guessed) => String(count(type, guessed)).padEnd(14)).join('')
    console.log(`    ${type.padEnd(12)}${counts}${share(count(null, type)).padEnd(11)}${share(count(type, null))}`)
  }
}

function accuracy(rows: readonly Labelled[], guess: (row: Labelled) => ContractType): number {
  return round(rows.filter((row) => guess(row) === row.label).length / rows.length, 3)
}

/** What Muster would be if it looked for words anywhere in the text, prose before advice. */
function naive(text: string): ContractType {
  const lower = text.toLowerCase()
  const hasOne = (words: string) => words.split(' ').some((word) => lower.includes(word))
  if (hasOne('document readme docs comment typo spelling')) return 'skip'
  return hasOne('investigate research explore discuss plan design audit review analyze') ? 'advisory' : 'verifiable'
}

/** Every row with files: a contract from its text alone, then the files as the diff; and how long the first takes. */
function confirm(): void {
  const paths = [...new Set(commits.flatMap(({ files }) => files))]
  const facts = factsOf(['go.mod'], () => null)
  const project: ContractProject = { facts, rules: ruleBook(DEFAULT_RULES), files: indexFiles(paths) }
  const times: number[] = []
  const make = (title: string): Contract => {
    const task = {
      title,
      instructions: title,
      acceptanceCriteria: '',
      expectedFiles: [],
      checks: [],
      checkCommands: {},
      inStory: false,
    }
    const start = performance.now()
    const contract = generateContract(task, project, '2026-01-01T00:00:00Z')
    times.push(performance.now() - start)
    return contract
  }
  const sealed = commits.map((row) => ({ row, contract: make(row.text) }))
  for (const { title } of titles) make(title)
  const waved = (type: (contract: Contract, row: Commit) => ContractType) =>
    sealed.filter(({ row, contract }) => row.class_files === 'verifiable' && type(contract, row) !== 'verifiable')
      .length
  console.log(
    `\nverifiable commits by their files (${commits.filter((row) => row.class_files === 'verifiable').length})`,
  )
  console.log(`  waved through by the text alone: ${waved(({ type }) => type)}`)
  console.log(
    `  waved through after the diff: ${waved((contract, row) => confirmContract(contract, row.files, project).type)}`,
  )
  const sorted = sort(times)
  const [p50, p99] = [percentile(sorted, 50), percentile(sorted, 99)]
  console.log(`\ngeneration of ${times.length} contracts in a tree of ${paths.length} files`)
  console.log(
    `  p50 ${round(p50, 3)} ms, p99 ${round(p99, 3)} ms, most ${round(sorted.at(-1) ?? 0, 3)} ms (aim: p99 at most 50 ms)`,
  )
}
