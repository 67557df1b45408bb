/** What gets out, as docs/sandbox.md says it: one row for each act, and the sums. Read from there, and written there. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { SANDBOX_KINDS, type SandboxKind } from '../../../src/domain/config.ts'
import { ACTS, GROUPS, WHO, type Act, type Who } from '../escape.ts'

const FILE = fileURLToPath(new URL('../../../docs/sandbox.md', import.meta.url))
const MEASURED = /(?<=<!-- measured by test\/hostile\/escape\.test\.ts -->\n)[^]*?(?=<!-- up to here -->)/

const KINDS: readonly SandboxKind[] = ['bubblewrap', 'container', 'pid-namespace', 'none']
const HEADS = '| bubblewrap | container | pid namespace | none |'

/** Who got out with which act, by kind of sandbox. */
export type Out = Record<SandboxKind, Record<Who, Set<string>>>

export const nobody = (): Out => {
  const one = () => ({ author: new Set<string>(), check: new Set<string>(), judge: new Set<string>() })
  return Object.fromEntries(SANDBOX_KINDS.map((kind) => [kind, one()])) as Out
}

export const triesOf = ({ who = WHO }: Act): readonly Who[] => who

/** The part of the page that was measured. */
export const shown = (): string => MEASURED.exec(readFileSync(FILE, 'utf8'))?.[0] ?? ''

export function write(out: Out): void {
  writeFileSync(
    FILE,
    readFileSync(FILE, 'utf8').replace(MEASURED, () => render(out)),
  )
}

export function read(text: string): Out {
  const out = nobody()
  for (const act of ACTS) {
    const row = text.split('\n').find((line) => line.startsWith(`| \`${act.id}\` |`))
    const cells = row?.split(' | ').slice(-KINDS.length) ?? []
    for (const [index, kind] of KINDS.entries()) {
      const cell = cells[index] ?? ''
      const names = /^(?:out|as root)/.test(cell) ? triesOf(act) : WHO.filter((who) => cell.includes(who))
      for (const who of names) out[kind][who].add(act.id)
    }
  }
  return out
}

export function render(out: Out): string {
  const gotOut = (kind: SandboxKind, act: Act): Who[] => triesOf(act).filter((who) => out[kind][who].has(act.id))
  const count = (kind: SandboxKind, acts: readonly Act[]): number =>
    acts.filter((act) => gotOut(kind, act).length > 0).length
  const cell = (kind: SandboxKind, act: Act): string => {
    const names = gotOut(kind, act)
    if (names.length === 0) return '–'
    if (names.length < triesOf(act).length) return names.join(', ')
    return act.root === true ? 'as root' : 'out'
  }
  const sum = (name: string, acts: readonly Act[]): string =>
    `| ${[name, acts.length, ...KINDS.map((kind) => count(kind, acts))].join(' | ')} |`
  const row = (act: Act): string => {
    const only = act.who === undefined ? '' : ` (${act.who.join(', ')})`
    return `| ${[`\`${act.id}\``, act.says + only, ...KINDS.map((kind) => cell(kind, act))].join(' | ')} |`
  }
  const groups = Object.entries(GROUPS)
  return [
    `| on | acts ${HEADS}`,
    '|---|---|---|---|---|---|',
    ...groups.map(([name, acts]) => sum(name, acts)),
    sum('**all**', ACTS),
    '',
    `| act | what it tries ${HEADS}`,
    '|---|---|---|---|---|---|',
    ...groups.flatMap(([, acts]) => acts.map(row)),
    '',
  ].join('\n')
}
