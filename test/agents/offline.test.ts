/** Nothing of the machine reaches the real programs, and they reach nothing but loopback. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { tryBubblewrap } from '../../src/process/sandbox.ts'
import { bin } from './model.ts'
import { PROGRAMS } from './stage.ts'

const bubblewrap = await tryBubblewrap()
const traced = spawnSync('strace', ['-V']).status === 0
const missing = [
  ...PROGRAMS.filter(({ there }) => !there).map(({ title }) => title),
  ...(typeof bubblewrap === 'string' ? [`a network namespace: ${bubblewrap}`] : []),
]
const skipped = missing.length === 0 ? '' : ` (SKIPPED: ${missing.join(', ')})`

/** In a network namespace with nothing but loopback, which bubblewrap sets up. */
const ALONE = ['--unshare-net', '--unshare-pid', '--die-with-parent', '--dev-bind', '/', '/', '--proc', '/proc', '--']

function play(prefix: string[]): {
  top: string
  told: Record<string, { verdict: string; detail: string; env: string[] }>
} {
  const top = mkdtempSync(join(tmpdir(), 'muster-offline-'))
  onTestFinished(() => rmSync(top, { recursive: true, force: true }))
  for (const folder of ['bin', 'home', 'tmp', 'runs']) mkdirSync(join(top, folder))
  const env = {
    PATH: `${join(top, 'bin')}:/usr/local/bin:/usr/bin:/bin`,
    HOME: join(top, 'home'),
    TMPDIR: join(top, 'tmp'),
    AGENTS_BIN: bin,
    ANTHROPIC_API_KEY: 'dummy',
    SCRIPTED_KEY: 'dummy',
    MUSTER_TEST_SECRET: 'hunter2',
  }
  const args = [...ALONE, ...prefix, process.execPath, join(import.meta.dirname, 'offline.ts'), top]
  const told = execFileSync('bwrap', args, { env, encoding: 'utf8', cwd: top })
  return { top, told: JSON.parse(told) as ReturnType<typeof play>['told'] }
}

/** The allow-list of src/process/environment.ts as far as it is set here, what Muster tells a run, and what is listed. */
const RUN = ['ATTEMPT', 'NONCE', 'PORT', 'PROMPT_FILE', 'ROLE', 'ROUND', 'RUN_ID', 'TASK_ID', 'VERDICT_FILE']
const ALWAYS = ['AGENTS_BIN', 'HOME', 'PATH', 'PWD', 'TMPDIR', ...RUN.map((name) => `MUSTER_${name}`)]

test.skipIf(missing.length > 0)(
  `they get the allow-list and nothing else, and need loopback and nothing else${skipped}`,
  () => {
    const { told } = play([])
    for (const name of ['claude', 'codex'])
      expect(told[name]).toMatchObject({ verdict: 'PASS', detail: 'I wrote hello.txt.' })
    const own = [
      'ANTHROPIC_API_KEY',
      'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC',
      'CLAUDE_CODE_MAX_RETRIES',
      'DISABLE_AUTOUPDATER',
    ]
    const [claude, codex] = [told['claude']?.env, told['codex']?.env]
    expect(claude?.filter((name) => name !== 'OLDPWD')).toEqual([...ALWAYS, ...own].toSorted())
    expect(codex?.filter((name) => name !== 'OLDPWD')).toEqual([...ALWAYS, 'SCRIPTED_KEY'].toSorted())
  },
)

const soak = process.env['MUSTER_SOAK'] !== undefined
test.skipIf(missing.length > 0 || !traced || !soak)(
  `they do not try to reach anything else${soak ? '' : ' (SKIPPED: MUSTER_SOAK=1)'}`,
  () => {
    const trace = join(mkdtempSync(join(tmpdir(), 'muster-trace-')), 'trace')
    onTestFinished(() => rmSync(join(trace, '..'), { recursive: true, force: true }))
    play(['strace', '-f', '-qq', '-e', 'trace=connect,sendto,sendmsg', '-o', trace])
    const lines = readFileSync(trace, 'utf8')
      .split('\n')
      .filter((line) => /sin6?_port/.test(line))
    expect(lines.length).toBeGreaterThan(0)
    expect(lines.filter((line) => !/inet_addr\("127\.0\.0\.1"\)|"::1"/.test(line))).toEqual([])
  },
)
