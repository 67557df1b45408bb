import { expect, test } from 'vitest'
import type { Replay } from '../../domain/verdict/verdict.ts'
import type { RunOutcome, Worker } from '../../ports/runtime.ts'
import { thenReplayed } from './judging.ts'

const outcome: RunOutcome = {
  verdict: 'FAIL',
  detail: '',
  findings: [{ severity: 'FAIL', message: 'it fails', command: 'npm test' }],
  exit: 'exit 0',
  crashed: false,
  interrupted: false,
}

test('a pause stops the clock of what a judge quotes too, whether that has begun or not', async () => {
  const said: string[] = []
  const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
  const over = Promise.withResolvers<Map<string, Replay>>()
  const told = Promise.withResolvers<void>()
  const judge: Worker = {
    ended: Promise.resolve(outcome),
    stop: () => undefined,
    setClock: (running) => said.push(`judge ${running}`),
  }
  const worker = thenReplayed(judge, async () => {
    begun[0].resolve()
    await begun[1].promise
    const setClock = (running: boolean) => {
      said.push(`again ${running}`)
      told.resolve()
    }
    return { ended: over.promise, stop: () => undefined, setClock }
  })
  await begun[0].promise
  worker.setClock(false)
  begun[1].resolve()
  await told.promise
  worker.setClock(true)
  expect(said).toEqual(['judge false', 'again false', 'judge true', 'again true'])
  over.resolve(new Map([['npm test', 'same']]))
  expect((await worker.ended).findings[0]).toMatchObject({ replay: 'same' })
})
