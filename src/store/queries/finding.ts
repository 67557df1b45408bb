/** Findings, in the order they were stated. */
import type { Finding } from '../../domain/verdict/verdict.ts'
import { prepare } from '../prepared.ts'
import type { Session } from '../session.ts'
import type { Db, FindingRow } from '../schema.ts'
import { inChunks } from './in-chunks.ts'

const insertFinding = prepare((db, p: FindingRow) =>
  db.insertInto('findings').values({
    task_id: p.task_id,
    n: p.n,
    round: p.round,
    source: p.source,
    severity: p.severity,
    message: p.message,
    file: p.file,
    line: p.line,
    basis: p.basis,
  }),
)

const lastNumber = prepare((db, p: { taskId: string }) =>
  db
    .selectFrom('findings')
    .select((eb) => eb.fn.max('n').as('n'))
    .where('task_id', '=', p.taskId),
)

const findingsOfTask = prepare((db, p: { taskId: string }) =>
  db.selectFrom('findings').selectAll().where('task_id', '=', p.taskId).orderBy('n'),
)

/** The rows that a change adds, numbered behind those that are there. */
export async function findingRows(
  on: Session,
  findings: readonly { taskId: string; finding: Finding }[],
): Promise<FindingRow[]> {
  const numbers = new Map<string, number>()
  const rows: FindingRow[] = []
  for (const { taskId, finding } of findings) {
    const last = numbers.get(taskId) ?? (await lastNumber.first(on, { taskId }))?.n ?? 0
    const { round, source, severity, message, file = null, line = null, ...more } = finding
    const basis = Object.values(more).every((value) => value === undefined) ? null : JSON.stringify(more)
    const texts = { message: message.toWellFormed(), file: file?.toWellFormed() ?? null }
    rows.push({ task_id: taskId, n: last + 1, round, source, severity, ...texts, line, basis })
    numbers.set(taskId, last + 1)
  }
  return rows
}

export async function storeFindings(on: Session, rows: readonly FindingRow[]): Promise<void> {
  for (const row of rows) await insertFinding.run(on, row)
}

/** All of these tasks, for comparing them with the history. */
export function findingsOf(db: Db, taskIds: Iterable<string>): Promise<FindingRow[]> {
  return inChunks(taskIds, (some) =>
    db.selectFrom('findings').selectAll().where('task_id', 'in', some).orderBy('task_id').orderBy('n').execute(),
  )
}

export async function listFindings(db: Db, taskId: string): Promise<Finding[]> {
  return (await findingsOfTask.all(db, { taskId })).map(findingOf)
}

function findingOf({ round, source, severity, message, file, line, basis }: FindingRow): Finding {
  const more = basis === null ? {} : (JSON.parse(basis) as Pick<Finding, 'criterion' | 'command' | 'replay'>)
  const finding: Finding = { round, source, severity, message, ...more }
  if (file !== null) finding.file = file
  if (line !== null) finding.line = line
  return finding
}
