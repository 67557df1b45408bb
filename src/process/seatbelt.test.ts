/** The text of the profile. Nobody has tried it on a Mac yet. */
import { expect, test } from 'vitest'
import { confinedCommand } from './confine.ts'
import { trySandboxExec } from './sandbox.ts'
import { seatbeltProfile } from './seatbelt.ts'

/** Of the rules for a path the last one, as sandbox-exec reads them. */
function verdict(profile: string, action: string, path: string): string | undefined {
  const rules = [...profile.matchAll(/^\((allow|deny) ([^(]*?)(?: \(subpath "(.*)"\))?\)$/gm)]
  const fits = ([, , actions = '', place]: RegExpMatchArray): boolean =>
    actions.split(' ').some((name) => name === action || name === 'default') &&
    (place === undefined || path === place || path.startsWith(`${place}/`))
  return rules.findLast(fits)?.[1]
}

const profile = seatbeltProfile({
  places: [
    { path: '/private/tmp', access: 'hide' },
    { path: '/Users/ann', access: 'hide' },
    { path: '/Users/ann/code/project', access: 'read' },
    { path: '/Users/ann/.local/state/muster/p/workspaces/w', access: 'write' },
  ],
  scratch: ['/private/tmp'],
})

test.each([
  ['file-read*', '/Users/ann/.ssh/id_ed25519', 'deny'],
  ['file-write*', '/Users/ann/.zshrc', 'deny'],
  ['file-read*', '/Users/ann/code/project/agent.sh', 'allow'],
  ['file-write*', '/Users/ann/code/project/.git/config', 'deny'],
  ['file-read*', '/Users/ann/.local/state/muster/p/muster.db', 'deny'],
  ['file-write*', '/Users/ann/.local/state/muster/p/workspaces/w/a', 'allow'],
  ['file-read*', '/usr/bin/git', 'allow'],
  ['file-write*', '/usr/local/bin/git', 'deny'],
  ['file-write*', '/private/tmp/a', 'allow'],
  ['file-write*', '/dev/null', 'allow'],
  ['file-read-metadata', '/Users/ann', 'allow'],
])('macOS: %s of %s is %s', (action, path, expected) => {
  expect(verdict(profile, action, path)).toBe(expected)
})

test('macOS: nothing in a path is read as a rule', () => {
  const odd = seatbeltProfile({ places: [{ path: '/a"))(allow default)\\', access: 'hide' }], scratch: [] })
  expect(odd).toContain(String.raw`(deny file-read* file-write* (subpath "/a\"))(allow default)\\"))`)
})

test('macOS: a worker is started with the profile, in its process group', () => {
  const sandbox = { kind: 'sandbox-exec', why: '', prefix: ['/usr/bin/sandbox-exec', '-p'], begin: [] } as const
  const start = { dir: '/d', cwd: '/', env: {}, command: ['/bin/sh', '-c', 'true'] }
  const command = confinedCommand({ sandbox, rules: [{ path: '/usr', access: 'hide' }] }, start)
  expect(command.slice(0, 2)).toEqual(['/usr/bin/sandbox-exec', '-p'])
  expect(command[2]).toContain('(deny file-read* file-write* (subpath "/usr"))')
  expect(command.slice(3)).toEqual(['/bin/sh', '-c', 'true'])
})

test.skipIf(process.platform === 'darwin')('macOS: elsewhere there is none', async () => {
  expect(await trySandboxExec()).toBe('sandbox-exec is only on macOS')
})
