/** Contracts by task, in the order in which they were sealed. None is ever overwritten. */
import type { Contract } from '../../domain/contract/contract.ts'
import { prepare } from '../prepared.ts'
import type { Session } from '../session.ts'
import type { ContractRow, Db } from '../schema.ts'
import { inChunks } from './in-chunks.ts'

const insertContract = prepare((db, p: ContractRow) =>
  db.insertInto('contracts').values({ task_id: p.task_id, n: p.n, at: p.at, hash: p.hash, body: p.body }),
)

const lastNumber = prepare((db, p: { taskId: string }) =>
  db
    .selectFrom('contracts')
    .select((eb) => eb.fn.max('n').as('n'))
    .where('task_id', '=', p.taskId),
)

const contractsOfTask = prepare((db, p: { taskId: string }) =>
  db.selectFrom('contracts').select('body').where('task_id', '=', p.taskId).orderBy('n'),
)

export async function storeContract(on: Session, taskId: string, contract: Contract, at: number): Promise<void> {
  const last = (await lastNumber.first(on, { taskId }))?.n ?? 0
  const body = JSON.stringify(contract)
  await insertContract.run(on, { task_id: taskId, n: last + 1, at, hash: contract.hash, body })
}

export async function listContracts(db: Db, taskId: string): Promise<Contract[]> {
  return (await contractsOfTask.all(db, { taskId })).map(({ body }) => JSON.parse(body) as Contract)
}

/** The bodies by task, for comparing them with the history. */
export function contractBodies(db: Db, taskIds: Iterable<string>) {
  return inChunks(taskIds, (some) =>
    db.selectFrom('contracts').select(['task_id', 'n', 'body']).where('task_id', 'in', some).execute(),
  )
}
