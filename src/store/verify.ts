/**
 * Proves that the history is the one that Muster wrote: recomputes every chain and compares it with the rows it names.
 * Reads the log page by page; each page and its rows are read at one moment.
 */
import type { BadEvent, ChainId } from '../ports/store.ts'
import {
  type ChainHead,
  chainOwner,
  digestOf,
  digestOfFindings,
  type EventBody,
  type FindingsDigest,
  linkHash,
  noHead,
  sha256,
} from './chain.ts'
import { contractBodies } from './queries/contract.ts'
import { type EventLine, eventsAfter, parseBody } from './queries/event.ts'
import { findingsOf } from './queries/finding.ts'
import { chainHeads, ownerWithoutEvents, type StoredHead } from './queries/head.ts'
import { runResults } from './queries/run.ts'
import type { Db, FindingRow } from './schema.ts'
import { lookAtSeal } from './seal.ts'

const pageEvents = 500
const SEALED = 'contract-sealed'

interface Page {
  lines: EventLine[]
  heads: Map<ChainId, StoredHead>
  runs: Map<string, RunResult>
  /** The digests of each task's contracts as they are stored, in order. */
  contracts: Map<string, string[]>
  /** The findings of the tasks whose events tell of some, in order. */
  findings: Map<string, FindingRow[]>
}

type RunResult = Awaited<ReturnType<typeof runResults>>[number]

/** The chain being walked: where it stands and what its last event said of the task. */
interface Walk extends ChainHead {
  chain: ChainId
  last: EventBody | null
  /** How many contracts it has told of. */
  sealed: number
  /** The number of the last finding it has told of; null: none, or it is of an older Muster. */
  found: number | null
}

export async function verifyHistory(
  db: Db,
  key: string | undefined,
): Promise<{ events: number; sealed: number; bad: BadEvent | null }> {
  let events = 0
  let walk: Walk | null = null
  for (;;) {
    const page: Page = await readPage(db, walk)
    for (const line of page.lines) {
      if (walk !== null && walk.chain !== line.chain) {
        const bad = compareHead(walk, page)
        if (bad !== null) return { events, sealed: 0, bad }
      }
      if (walk === null || walk.chain !== line.chain)
        walk = { chain: line.chain, ...noHead, last: null, sealed: 0, found: null }
      const what =
        checkLine(walk, line) ??
        compareRun(line, page.runs) ??
        compareContract(walk, line, page.contracts) ??
        compareFindings(line, page.findings)
      if (what !== null) return { events, sealed: 0, bad: { chain: line.chain, ...what } }
      const sealed: number = walk.sealed + (line.type === SEALED ? 1 : 0)
      const last = parseBody(line.body)
      const found: number | null = last.findings?.to ?? walk.found
      walk = { chain: line.chain, n: line.n, hash: line.hash, last, sealed, found }
      events += 1
    }
    if (page.lines.length === pageEvents) continue
    const bad = walk === null ? null : compareHead(walk, page)
    const wrong = bad ?? (await missingChain(db))
    if (wrong !== null || key === undefined) return { events, sealed: 0, bad: wrong }
    return { events, ...(await lookAtSeal(db, key)) }
  }
}

function readPage(db: Db, after: Walk | null): Promise<Page> {
  return db
    .transaction()
    .setAccessMode('read only')
    .execute(async (trx) => {
      const lines = await eventsAfter.all(trx, { chain: after?.chain ?? '', n: after?.n ?? 0, limit: pageEvents })
      // The chain of the page before may have ended there, and grown since.
      const chains = lines.map((line) => line.chain)
      const heads = await chainHeads(trx, after === null ? chains : [after.chain, ...chains])
      const results = await runResults(
        trx,
        lines.map(endedRun).filter((id) => id !== null),
      )
      const tasks = new Set(lines.filter(({ type }) => type === SEALED).map(({ chain }) => chainOwner(chain).id))
      const contracts = digestsByTask(await contractBodies(trx, tasks))
      const told = lines.filter((line) => toldFindings(line) !== undefined).map(({ chain }) => chain)
      // The chain of the page before is compared with its head in this one.
      const before = after === null || after.found === null ? [] : [after.chain]
      const rows = await findingsOf(trx, new Set([...told, ...before].map((chain) => chainOwner(chain).id)))
      const findings = Map.groupBy(rows, (row) => row.task_id)
      return { lines, heads, runs: new Map(results.map((run) => [run.id, run])), contracts, findings }
    })
}

type Wrong = Omit<BadEvent, 'chain'> | null

function checkLine(walk: Walk, line: EventLine): Wrong {
  const expected = walk.n + 1
  if (line.n !== expected) return { n: expected, what: `it is missing: event ${line.n} follows event ${walk.n}` }
  if (linkHash(walk.hash, line) === line.hash) return null
  return { n: line.n, what: 'it is not what Muster wrote: its text, time, author or position was changed' }
}

/** A verdict edited in the table of runs differs from the one in the history, and the history cannot be edited. */
function compareRun(line: EventLine, runs: ReadonlyMap<string, RunResult>): Wrong {
  const id = endedRun(line)
  if (id === null) return null
  const run = runs.get(id)
  if (run === undefined) return { n: line.n, what: `it says that run ${id} ended, but there is no such run` }
  if (run.ended_at === null)
    return { n: line.n, what: `it says that run ${id} ended, but the run's row says that it is running` }
  const { data } = parseBody(line.body)
  for (const field of ['outcome', 'verdict'] as const) {
    const told = data[field] ?? null
    if (told !== run[field]) {
      return {
        n: line.n,
        what: `it says the ${field} of run ${id} was ${show(told)}, the run's row says ${show(run[field])}`,
      }
    }
  }
  if (data['plan'] === undefined || data['plan'] === sha256(run.plan ?? '')) return null
  return { n: line.n, what: `the plan of run ${id} is not what Muster stored: its text was changed` }
}

/** What the task is judged by must be what was sealed. */
function compareContract(walk: Walk, line: EventLine, contracts: ReadonlyMap<string, string[]>): Wrong {
  if (line.type !== SEALED) return null
  const stored = contracts.get(chainOwner(line.chain).id)?.[walk.sealed]
  if (stored === undefined)
    return { n: line.n, what: 'it says that a contract was sealed, but there is no such contract' }
  if (stored === parseBody(line.body).data['digest']) return null
  return { n: line.n, what: 'the contract that it names is not what Muster sealed: its text was changed' }
}

/** What goes back to an author must be what a judge found. */
function compareFindings(line: EventLine, findings: ReadonlyMap<string, FindingRow[]>): Wrong {
  const told = toldFindings(line)
  if (told === undefined) return null
  const rows = (findings.get(chainOwner(line.chain).id) ?? []).filter(({ n }) => n >= told.from && n <= told.to)
  if (digestOfFindings(rows).digest === told.digest) return null
  return { n: line.n, what: 'its findings are not those that Muster stored with it' }
}

function toldFindings({ body }: EventLine): FindingsDigest | undefined {
  try {
    return parseBody(body).findings
  } catch {
    // Not ours any more; the hash says so better.
    return undefined
  }
}

function digestsByTask(rows: readonly { task_id: string; n: number; body: string }[]): Map<string, string[]> {
  const digests = new Map<string, string[]>()
  for (const { task_id: task, body } of rows.toSorted((a, b) => a.n - b.n)) {
    digests.set(task, [...(digests.get(task) ?? []), sha256(body)])
  }
  return digests
}

function endedRun({ type, body }: EventLine): string | null {
  if (type !== 'run-ended') return null
  try {
    const run = parseBody(body).data['run']
    return typeof run === 'string' ? run : null
  } catch {
    // Not ours any more; the hash says so better.
    return null
  }
}

function compareHead(walk: Walk, { heads, findings }: Page): BadEvent | null {
  const { chain, n } = walk
  const head = heads.get(chain)
  if (head === undefined) return { chain, n: 1, what: 'its task or story is gone: the row was removed' }
  if (head.n > n) {
    return { chain, n: n + 1, what: `it is missing: Muster wrote ${head.n} events, but the last one found is ${n}` }
  }
  if (head.n < n) return { chain, n: head.n + 1, what: `it was added from outside: Muster wrote only ${head.n} events` }
  if (head.hash !== walk.hash) return { chain, n, what: 'it is not the last event that Muster wrote' }
  const extra = walk.found !== null && (findings.get(chainOwner(chain).id)?.at(-1)?.n ?? 0) > walk.found
  if (extra) return { chain, n, what: 'there are findings that belong to no event' }
  const told = walk.last?.state
  if (told === undefined || head.state === null) return null
  const row = digestOf(head.state)
  for (const field of ['status', 'phase', 'round', 'attempt'] as const) {
    if (told[field] !== row[field]) {
      return {
        chain,
        n,
        what: `it says the task's ${field} was ${show(told[field])}, the task's row says ${show(row[field])}`,
      }
    }
  }
  return null
}

async function missingChain(db: Db): Promise<BadEvent | null> {
  const chain = await ownerWithoutEvents(db)
  return chain === null ? null : { chain, n: 1, what: 'it is missing: the whole history was removed' }
}

function show(value: unknown): string {
  return value === null ? 'none' : typeof value === 'string' ? value : JSON.stringify(value)
}
