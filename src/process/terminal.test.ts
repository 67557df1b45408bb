import { rm, symlink, open } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempDir } from './fixtures/temp.ts'
import { holdsOpen, judgeLineage, relativeIn, whyNoPerson, type Relative } from './terminal.ts'

const at = { self: 900, user: 1000, since: null }
const one = (more: Partial<Relative>): Relative => ({
  pid: 500,
  name: 'sh',
  parent: 1,
  session: 400,
  terminal: true,
  user: 1000,
  startedAt: 2000,
  worker: false,
  here: true,
  ...more,
})
const root = one({ pid: 1, name: 'systemd', parent: 0, user: 0, startedAt: 0, terminal: false })
const shell = one({ pid: 400, name: 'bash', parent: 300 })
const asker = one({ pid: 500, name: 'muster', parent: 400 })

test('a command in a shell at a terminal is a person’s', () => {
  expect(judgeLineage([asker, shell, root], at)).toBeNull()
})

test.each([
  ['is gone', []],
  ['has no terminal', [{ ...asker, terminal: false }, shell]],
  ['runs in its own namespace', [{ ...asker, here: false }, shell]],
  ['was started by Muster', [asker, shell, one({ pid: 900 })]],
  ['was started for a task', [asker, { ...shell, worker: true }]],
])('a process that %s shows nobody', (why, line) => {
  expect(judgeLineage(line, at)).toContain(why)
})

test('the engine’s own process may ask, when it is at a terminal', () => {
  expect(judgeLineage([{ ...asker, pid: 900 }, shell, root], at)).toBeNull()
})

const STRAY = 'its terminal is newer than the first agent that ran here, so an agent could have made it'

/** A worker can leave its parents and make itself a terminal; then it comes from init alone. */
test.each([
  ['an older terminal program', [asker, shell, one({ pid: 300, name: 'tmux', startedAt: 500 }), root], null],
  ['somebody else’s program that lets people in', [asker, shell, one({ pid: 300, name: 'sshd', user: 0 }), root], null],
  ['outside of the container', [asker, { ...shell, parent: 0 }], null],
  [
    'init alone, as the shell of a container',
    [
      { ...asker, session: 1, parent: 1 },
      { ...root, terminal: true },
    ],
    null,
  ],
  ['init alone', [asker, { ...shell, parent: 1 }, root], STRAY],
  [
    'a user’s own reaper',
    [asker, { ...shell, parent: 50 }, one({ pid: 50, name: 'systemd', startedAt: 1 }), root],
    STRAY,
  ],
])('where a worker may have left its parents, to come from %s counts accordingly', (_from, line, why) => {
  expect(judgeLineage(line, { ...at, since: 1000 })).toBe(why)
})

test('this test has no terminal, and no process has the highest pid', async () => {
  expect(await whyNoPerson(2 ** 22 + 1, null)).toContain('gone')
  expect(await whyNoPerson(process.pid, null)).not.toBeUndefined()
})

test('a line of ps, as macOS and the BSDs write it', () => {
  expect(relativeIn('  812   811      0   501 ttys001  Mon Nov 16 09:12:44 2026     muster run')).toMatchObject({
    pid: 812,
    parent: 811,
    user: 501,
    terminal: true,
    startedAt: Date.parse('Nov 16 09:12:44 2026'),
    name: 'muster run',
  })
  expect(relativeIn('    1     0      0     0 ??       Sun Nov  1 08:00:00 2026     launchd')).toMatchObject({
    terminal: false,
    parent: 0,
  })
  expect(relativeIn('no line of it')).toBeNull()
})

test('who holds a file open is who has that very file, not who names it or what lies at its place', async () => {
  const path = join(tempDir(), 'proof')
  const [ours, theirs] = [await open(path, 'wx'), await open(path)]
  expect(await holdsOpen(process.pid, theirs.fd, ours)).toBe(true)
  for (const claim of [0, -1, 1.5, 10_000, undefined, null, `../../..${path}`, [theirs.fd], String(theirs.fd)]) {
    expect(await holdsOpen(process.pid, claim, ours), String(claim)).toBe(false)
  }
  expect(await holdsOpen(`self/../${process.pid}`, theirs.fd, ours)).toBe(false)
  // Another file that the process has open, put in its place.
  const other = await open(`${path}.other`, 'wx')
  await rm(path)
  await symlink(`${path}.other`, path)
  expect(await holdsOpen(process.pid, other.fd, ours)).toBe(false)
  await Promise.all([ours, theirs, other].map((file) => file.close()))
})
