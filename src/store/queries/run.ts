/** Runs: started once, ended at most once. */
import { sql, type Selectable } from 'kysely'
import { dutyByName, type Duty } from '../../domain/role.ts'
import type { RunFacts } from '../../domain/run.ts'
import type { RunEnd, RunRecord, RunStanding, VerdictLine } from '../../ports/store.ts'
import { prepare } from '../prepared.ts'
import type { Session } from '../session.ts'
import type { Db, RunRow } from '../schema.ts'
import { stateOf } from '../task-row.ts'
import { inChunks } from './in-chunks.ts'
import { tasksOf } from './spent.ts'

type End = Omit<Selectable<RunRow>, 'seq' | 'id' | keyof Start>
type Start = Pick<
  RunRow,
  'task_id' | 'kind' | 'name' | 'does' | 'phase' | 'attempt' | 'round' | 'nonce' | 'started_at' | 'contract'
>

/** Changes no row when the id is taken. */
const insertRun = prepare((db, p: { id: string } & Start & End) =>
  db
    .insertInto('runs')
    .values({
      id: p.id,
      task_id: p.task_id,
      kind: p.kind,
      name: p.name,
      does: p.does,
      phase: p.phase,
      attempt: p.attempt,
      round: p.round,
      nonce: p.nonce,
      started_at: p.started_at,
      contract: p.contract,
      ended_at: p.ended_at,
      outcome: p.outcome,
      verdict: p.verdict,
      detail: p.detail,
      commit_id: p.commit_id,
      exit: p.exit,
      facts: p.facts,
      program: p.program,
      usd: p.usd,
      input_tokens: p.input_tokens,
      output_tokens: p.output_tokens,
    })
    .onConflict((conflict) => conflict.column('id').doNothing()),
)

/** Changes no row unless the run is running: what a run came to is never written over. */
const endRunRow = prepare((db, p: { id: string } & End) =>
  db
    .updateTable('runs')
    .set({
      ended_at: p.ended_at,
      outcome: p.outcome,
      verdict: p.verdict,
      detail: p.detail,
      commit_id: p.commit_id,
      exit: p.exit,
      facts: p.facts,
      program: p.program,
      usd: p.usd,
      input_tokens: p.input_tokens,
      output_tokens: p.output_tokens,
    })
    .where('id', '=', p.id)
    .where('ended_at', 'is', null),
)

const runById = prepare((db, p: { id: string }) => db.selectFrom('runs').selectAll().where('id', '=', p.id))

const runsOfTask = prepare((db, p: { taskId: string }) =>
  db.selectFrom('runs').selectAll().where('task_id', '=', p.taskId).orderBy('seq'),
)

const runsOfChecks = prepare((db, p: { taskId: string }) =>
  db
    .selectFrom('runs')
    .innerJoin('tasks', 'tasks.id', 'runs.task_id')
    .selectAll('runs')
    .where('tasks.checker_for', '=', p.taskId)
    .orderBy('seq'),
)

export function startRun(on: Session, run: RunRecord): Promise<number> {
  return insertRun.run(on, {
    id: run.id,
    task_id: run.taskId,
    kind: run.kind,
    name: run.name,
    does: run.does,
    phase: run.phase,
    attempt: run.attempt,
    round: run.round,
    nonce: run.nonce,
    started_at: run.startedAt,
    contract: run.contract,
    ...(run.end === null ? RUNNING : endColumns(run.end)),
  })
}

export function endRun(on: Session, id: string, end: RunEnd): Promise<number> {
  return endRunRow.run(on, { id, ...endColumns(end) })
}

export async function findRun(db: Db, id: string): Promise<RunRecord | null> {
  const row = await runById.first(db, { id })
  return row === undefined ? null : runOf(row)
}

export async function listRuns(db: Db, taskId: string): Promise<RunRecord[]> {
  return (await runsOfTask.all(db, { taskId })).map(runOf)
}

export async function listCheckRuns(db: Db, taskId: string): Promise<RunRecord[]> {
  return (await runsOfChecks.all(db, { taskId })).map(runOf)
}

export async function runStandings(db: Db, ids: readonly string[]): Promise<Map<string, RunStanding>> {
  const rows = await inChunks(ids, (some) =>
    db
      .selectFrom('runs')
      .innerJoin('tasks', 'tasks.id', 'runs.task_id')
      .selectAll('runs')
      .select(['tasks.status', 'tasks.state', 'tasks.updated_at'])
      .where('runs.id', 'in', some)
      .execute(),
  )
  return new Map(
    rows.map((row) => {
      const task = stateOf({ id: row.task_id, status: row.status, state: row.state })
      return [row.id, { run: runOf(row), task, movedAt: row.updated_at }]
    }),
  )
}

export async function countVerdicts(db: Db, story: string | undefined): Promise<VerdictLine[]> {
  const rows = await db
    .selectFrom('runs')
    .select(({ fn }) => [
      'kind',
      'name as role',
      'does',
      'program',
      'verdict',
      fn.countAll<number | string>().as('runs'),
    ])
    .where('kind', '!=', 'action')
    .where('verdict', 'is not', null)
    .$if(story !== undefined, (query) => query.where('task_id', 'in', tasksOf(db, story ?? '')))
    .groupBy(['kind', 'name', 'does', 'program', 'verdict'])
    .orderBy('kind')
    .orderBy('name')
    .orderBy('program')
    .execute()
  return rows.flatMap(({ kind, does, verdict, runs, ...line }) => {
    if (verdict === null || kind === 'action') return []
    return [{ kind, ...line, does: dutyOf({ kind, does, name: line.role }), verdict, runs: Number(runs) }]
  })
}

export function runResults(db: Db, ids: Iterable<string>) {
  return inChunks(ids, (some) =>
    db
      .selectFrom('runs')
      .select(['id', 'ended_at', 'outcome', 'verdict'])
      .select(sql<string | null>`json_extract(facts, '$.plan')`.as('plan'))
      .where('id', 'in', some)
      .execute(),
  )
}

const RUNNING: End = {
  ended_at: null,
  outcome: null,
  verdict: null,
  detail: null,
  commit_id: null,
  exit: null,
  facts: null,
  program: null,
  usd: null,
  input_tokens: null,
  output_tokens: null,
}

function endColumns({ at, outcome, verdict, detail, commit, exit, facts }: RunEnd): End {
  return {
    ended_at: at,
    outcome,
    verdict,
    detail,
    commit_id: commit,
    exit,
    facts: JSON.stringify(facts),
    program: facts.program ?? null,
    usd: facts.usage?.usd ?? null,
    input_tokens: facts.usage?.inputTokens ?? null,
    output_tokens: facts.usage?.outputTokens ?? null,
  }
}

function dutyOf({ kind, name, does }: Pick<RunRow, 'kind' | 'name' | 'does'>): Duty | null {
  return kind === 'agent' ? (does ?? dutyByName(name)) : null
}

function runOf(row: Selectable<RunRow>): RunRecord {
  const { id, kind, name, phase, attempt, round, nonce, contract, started_at: startedAt } = row
  const start = {
    id,
    taskId: row.task_id,
    kind,
    name,
    does: dutyOf(row),
    phase,
    attempt,
    round,
    nonce,
    contract,
    startedAt,
  }
  if (row.ended_at === null || row.outcome === null) return { ...start, end: null }
  const { ended_at: at, outcome, verdict, commit_id: commit, exit } = row
  const facts = row.facts === null ? {} : (JSON.parse(row.facts) as RunFacts)
  return { ...start, end: { at, outcome, verdict, detail: row.detail ?? '', commit, exit, facts } }
}
