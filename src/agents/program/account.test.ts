/** What a run in bubblewrap can do to the account of its program, on little programs in place of the real ones. */
import { execFile } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { RunRequest } from '../../ports/runtime.ts'
import { kinds } from '../../process/fixtures/kinds.ts'
import { script, tempDir } from '../../process/fixtures/temp.ts'
import { claude } from '../claude/adapter.ts'
import { codex } from '../codex/adapter.ts'
import { runProgram } from './fixtures/run-program.ts'

const [bubblewrap] = await kinds()
const saved = {
  HOME: process.env['HOME'],
  PATH: process.env['PATH'],
  CLAUDE_CONFIG_DIR: process.env['CLAUDE_CONFIG_DIR'],
}
const fixture = join(import.meta.dirname, 'fixtures/run-program.ts')
let top: string

beforeEach(() => {
  top = tempDir()
  for (const name of ['bin', 'home/.claude', 'home/.codex', 'workspace', 'project', 'data']) {
    mkdirSync(join(top, name), { recursive: true })
  }
  Object.assign(process.env, { PATH: `${join(top, 'bin')}:/usr/bin:/bin`, HOME: join(top, 'home') })
})
afterEach(() => {
  for (const [name, value] of Object.entries(saved)) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
})

const at = (path: string): string => join(top, 'home', path)
function put(path: string, text: string): void {
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), text)
}
const textAt = (path: string): string => readFileSync(at(path), 'utf8')

/** Puts a program of that name on the PATH and runs it; what it says of itself is no matter here. */
async function run(adapter: typeof claude, text: string, runId = 'run-7'): Promise<RunRequest> {
  script(join(top, 'bin', adapter.program), `cd "$HOME"\n${text}`)
  return runProgram(adapter, top, runId)
}

describe.skipIf(bubblewrap?.sandbox == null)(`L36 in ${bubblewrap?.name} a run`, () => {
  test.each([
    ['claude', claude, '.claude'],
    ['codex', codex, '.codex'],
  ] as const)('of %s plants no setting, hook or program, and changes none', async (_name, adapter, folder) => {
    const mine = [...adapter.settings, ...adapter.foreign].find((name) => name.includes('.')) ?? ''
    put(join(folder, mine), 'mine')
    const names = [...adapter.settings, ...adapter.foreign]
    const plant = names.map((name) => {
      const path = `${folder}/${name}`
      return `(echo planted >${path}; mkdir -p ${path}; echo planted >${path}/planted) 2>/dev/null`
    })
    const move = adapter.settings.map(
      (name) => `mv ${folder}/${name} ${folder}/away 2>/dev/null; rm -rf ${folder}/${name}`,
    )
    const { dir } = await run(adapter, [...plant, ...move].join('\n'))
    expect(textAt(join(folder, mine))).toBe('mine')
    expect(existsSync(at(`${folder}/away`))).toBe(false)
    for (const name of names) expect(existsSync(at(`${folder}/${name}/planted`)), name).toBe(false)
    for (const name of adapter.foreign) expect(existsSync(at(`${folder}/${name}`)), name).toBe(name === mine)
    // What it left is kept with the run, for who wants to know.
    expect(readdirSync(join(dir, 'account'))).toContain(adapter.foreign[0])
  })

  test.each(['this', 'another'])(
    'beside another one, of %s Muster, plants nothing either, before or after that has ended',
    async (whose) => {
      const until = (name: string) => `until [ -e "${top}/workspace/${name}" ]; do sleep 0.02; done`
      const say = (name: string) => `: >"${top}/workspace/${name}"`
      const text = `case $MUSTER_RUN_ID in
first) mkdir .claude/local; ${say('planted')}; ${until('begun')};;
second) ${say('begun')}; ${until('cleared')}; mkdir -p .claude/local; echo planted >.claude/local/planted;;
esac`
      const elsewhere = () => promisify(execFile)(process.execPath, [fixture, top, 'other', 'first'])
      script(join(top, 'bin', 'claude'), `cd "$HOME"\n${text}`)
      const first = whose === 'this' ? run(claude, text, 'first') : elsewhere()
      await vi.waitUntil(() => existsSync(join(top, 'workspace/planted')), { timeout: 20_000, interval: 10 })
      const second = run(claude, text, 'second')
      await first
      writeFileSync(join(top, 'workspace/cleared'), '')
      await second
      expect(existsSync(join(top, 'workspace/begun'))).toBe(true)
      expect(existsSync(at('.claude/local'))).toBe(false)
      expect(readdirSync(join(top, 'data/accounts'))).toEqual([])
    },
  )

  test('takes what is there for the user’s when the Muster that noted it is gone', async () => {
    put('.claude/local/mine', 'mine')
    mkdirSync(join(top, 'other/accounts'), { recursive: true })
    writeFileSync(join(top, 'other/accounts/4999999-1-0.json'), JSON.stringify([at('.claude/local')]))
    await run(claude, 'echo planted >.claude/local/mine')
    expect(textAt('.claude/local/mine')).toBe('mine')
  })

  test('keeps its login and its sessions, and has its own of what the program runs while it works', async () => {
    put('.claude/.credentials.json', 'old')
    put('.claude/shell-snapshots/mine.sh', 'mine')
    put('.claude/projects/p/session.jsonl', 'first\n')
    await run(
      claude,
      `cd .claude; echo renewed >.credentials.json.tmp; mv .credentials.json.tmp .credentials.json; echo second >>projects/p/session.jsonl
echo planted >shell-snapshots/mine.sh; ls shell-snapshots >"${top}/workspace/seen"`,
    )
    expect(textAt('.claude/.credentials.json')).toBe('renewed\n')
    expect(textAt('.claude/projects/p/session.jsonl')).toBe('first\nsecond\n')
    expect(textAt('.claude/shell-snapshots/mine.sh')).toBe('mine')
    expect(readFileSync(join(top, 'workspace/seen'), 'utf8')).toBe('mine.sh\n')
  })

  test('gives the user no server to start: what it makes of .claude.json is gone with it', async () => {
    put('.claude.json', '{"mine":1}')
    await run(claude, `cp .claude.json "${top}/workspace/seen"; echo '{"mcpServers":{}}' >.claude.json`)
    expect(readFileSync(join(top, 'workspace/seen'), 'utf8')).toBe('{"mine":1}')
    expect(textAt('.claude.json')).toBe('{"mine":1}')
  })

  test('nor where CLAUDE_CONFIG_DIR says that all of it is in one folder', async () => {
    process.env['CLAUDE_CONFIG_DIR'] = at('elsewhere')
    mkdirSync(at('elsewhere'))
    await run(claude, `echo '{"mcpServers":{}}' >"$CLAUDE_CONFIG_DIR/.claude.json"`)
    expect(textAt('elsewhere/.claude.json')).toBe('{}\n')
  })

  test('puts nothing in place of a link: settings that are kept elsewhere', async () => {
    put('dotfiles/settings.json', 'mine')
    symlinkSync('../dotfiles/settings.json', at('.claude/settings.json'))
    await run(claude, 'cat .claude/settings.json; rm .claude/settings.json; echo planted >.claude/settings.json')
    expect(lstatSync(at('.claude/settings.json')).isSymbolicLink()).toBe(true)
    expect(textAt('.claude/settings.json')).toBe('mine')
  })

  test('makes no account where there is none', async () => {
    process.env['HOME'] = join(top, 'project')
    await run(claude, 'mkdir -p .claude; echo planted >.claude/settings.json')
    expect(readdirSync(join(top, 'project'))).toEqual([])
  })
})
