/**
 * What gets out of a worker, of all that escape.ts tries: in bubblewrap and in a container nothing, elsewhere what docs/sandbox.md says.
 * `MUSTER_SOAK=1 MUSTER_TABLE=write` writes the table there anew.
 */
import { execFileSync } from 'node:child_process'
import { beforeAll, describe, expect, test } from 'vitest'
import { keepsIn, SANDBOX_KINDS } from '../../src/domain/config.ts'
import { kinds } from '../../src/process/fixtures/kinds.ts'
import { isRoot } from '../support/as-user.ts'
import { ACTS, GROUPS, WHO, type Act } from './escape.ts'
import { makeStage, type Stage } from './escape/stage.ts'
import { nobody, read, render, shown, triesOf, write } from './escape/table.ts'
import { tryAll } from './escape/try.ts'

const all = await kinds()
const soak = process.env['MUSTER_SOAK'] !== undefined
const writes = process.env['MUSTER_TABLE'] === 'write'
const said = shown()
const out = writes ? nobody() : read(said)

const KEYS = new Set(['session-key', 'user-keyring'])

let stage: Stage
beforeAll(async () => void (stage = await makeStage()))

test('L36 at least 60 acts are in the table, each once, and its sums are right', () => {
  expect(ACTS.length).toBeGreaterThanOrEqual(60)
  expect(new Set(ACTS.map(({ id }) => id)).size).toBe(ACTS.length)
  expect(said).toBe(writes ? said : render(out))
  for (const kind of SANDBOX_KINDS.filter(keepsIn)) expect(WHO.flatMap((who) => [...out[kind][who]])).toEqual([])
})

describe.each(all)('in $name', ({ kind, sandbox }) => {
  beforeAll(async () => void (sandbox !== null && (await stage.serve(kind))))
  const tries = keepsIn(kind) || soak ? WHO : (['author'] as const)

  test.skipIf(sandbox === null).each(tries)('L36 what a hostile %s does comes out as the table says', async (who) => {
    if (sandbox === null) return
    const got = await tryAll(stage, sandbox, who)
    if (writes) out[kind][who] = got
    // What this machine does not let be measured: root's acts by others, Landlock, keys where the kernel has none.
    const isSure = ({ id, root }: Act): boolean =>
      keepsIn(kind)
        ? sandbox.scoped === true || kind === 'container' || id !== 'abstract-socket'
        : (isRoot || root !== true) && (!KEYS.has(id) || Number(stage.places['KEY']) > 0)
    const sure = ACTS.filter((act) => triesOf(act).includes(who) && isSure(act)).map(({ id }) => id)
    const expected = keepsIn(kind) ? [] : sure.filter((id) => out[kind][who].has(id))
    expect(sure.filter((id) => got.has(id))).toEqual(expected)
  })

  test.skipIf(sandbox === null || !keepsIn(kind))(
    'the same acts from outside decide: where agents are kept in, nothing more is asked',
    async () => {
      const acts = GROUPS['decisions'] ?? []
      stage.restoreQuiet()
      for (const { snippet } of acts) execFileSync('/bin/sh', ['-c', snippet], { env: stage.places, stdio: 'pipe' })
      expect(await stage.decided()).toEqual(new Set([1, 2, 3, 4, 5, 6].map((n) => `p-${n}`).concat('q-1', 'q-2')))
    },
  )
})

test.skipIf(!writes || !soak)('the table is written', () => {
  write(out)
  expect(shown()).toBe(render(out))
})
