/** Agents that leave processes behind: when the run is over, so are they. */
import { describe, expect, test } from 'vitest'
import { kinds } from '../../src/process/fixtures/kinds.ts'
import { having } from '../../src/process/fixtures/marked.ts'
import { exited, makeRepo } from '../support/muster.ts'

const LEFT = {
  background: 'sh -c "$stay" </dev/null >/dev/null 2>&1 &',
  nohup: 'nohup sh -c "$stay" </dev/null >/dev/null 2>&1 &',
  'double fork': '(sh -c "$stay" </dev/null >/dev/null 2>&1 &)',
  'holding stdout': 'sh -c "$stay" &',
}
const FLED = {
  setsid: 'setsid sh -c "$stay" </dev/null >/dev/null 2>&1 &',
  'setsid and double fork': '(setsid sh -c "$stay" </dev/null >/dev/null 2>&1 &)',
  'setsid, holding stdout': 'setsid sh -c "$stay" &',
}

/** Ends once all of them are there, each deaf to the signals given. */
function agent(left: Record<string, string>, deafTo: string): string {
  return `stay='trap "" ${deafTo}; echo up >>up.txt; exec sleep 1000'
${Object.values(left).join('\n')}
until [ "$(wc -l 2>/dev/null <up.txt)" = ${Object.keys(left).length} ]; do sleep 0.02; done`
}

const best = (await kinds()).find(({ sandbox }) => sandbox !== null)
const name = best?.kind === 'none' ? 'no sandbox at all (SKIPPED: neither bubblewrap nor unshare works)' : best?.name

describe.skipIf(best?.kind === 'none')(`with ${name}`, () => {
  test('L4, E-19 nothing that an agent started lives on, wherever it went and whatever it ignores', async () => {
    const repo = makeRepo({ agent: agent({ ...LEFT, ...FLED }, 'TERM HUP INT'), config: 'sandbox: auto' })
    exited(await repo.muster('run', 'Do this now'), 0)
    expect(having(`HOME=${repo.home}`)).toEqual([])
  })
})

test('L4 with process groups alone, nothing lives on that stayed in its group', async () => {
  const repo = makeRepo({ agent: agent(LEFT, 'HUP INT'), config: 'sandbox: off' })
  exited(await repo.muster('run', 'Do this now'), 0)
  expect(having(`HOME=${repo.home}`)).toEqual([])
})
