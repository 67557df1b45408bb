/** The zoo's results as Markdown, with what they come to. */
import { type Change, CHANGES } from './changes.ts'

export interface Seen {
  /** It passed verification and landed, with nobody asked. */
  landed: boolean
  why: string
  seconds: number
  /** The repository's own tests, run by hand, do not notice it either; or, of a fix, are red with it. It does not count. */
  doubtful?: true
}

export interface Row {
  name: string
  problem?: string
  setup?: string
  command?: string | null
  result?: string
  /** As Muster counted them. */
  tests?: number | null
  /** As the repository's own command counts them; null if nobody knows. */
  expected?: number | null
  why?: string
  doctor?: number | null
  fix?: string
  changes: Partial<Record<Change, Seen>>
}

export const isRight = ({ problem, setup = '', result, tests, expected }: Row): boolean =>
  problem === undefined &&
  !setup.startsWith('✗') &&
  (result === 'green' || result === 'red') &&
  (expected == null || tests === expected)

export function tableOf(rows: readonly Row[]): string {
  const head = ['repository', 'setup', 'tests', 'own count', ...CHANGES, 'what was said']
  const lines = rows.map((row) => [
    row.name,
    row.setup ?? '–',
    row.result === undefined ? '–' : `${row.tests ?? '?'} ${row.result}`,
    String(row.expected ?? '?'),
    ...CHANGES.map((change) => shown(row.changes[change])),
    row.problem ?? row.why ?? '',
  ])
  const table = [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n')
  return `${table}\n\n${summary(rows)}\n`
}

function shown(seen: Seen | undefined): string {
  if (seen === undefined) return '–'
  const [landed, stopped] = seen.doubtful ? ['unnoticed', 'red by hand'] : ['landed', 'stopped']
  return seen.landed ? landed : stopped
}
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ').slice(0, 160)

function summary(rows: readonly Row[]): string {
  const landed = (change: Change): string => {
    const tried = rows.flatMap((row) => row.changes[change] ?? []).filter(({ doubtful }) => doubtful !== true)
    return `${tried.filter((seen) => seen.landed).length} of ${tried.length}`
  }
  return [
    `init right: ${rows.filter(isRight).length} of ${rows.length}.`,
    ...CHANGES.map((change) => `Landed, ${change}: ${landed(change)}.`),
  ].join(' ')
}
