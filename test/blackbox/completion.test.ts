/** Tab in bash, zsh and fish: the real shells, with the scripts that muster prints. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { cleanEnv, cliWords, exited, makeRepo, planText } from '../support/muster.ts'

const repo = makeRepo()
const bin = join(repo.home, 'bin')
const scripts = join(repo.home, 'scripts')

beforeAll(async () => {
  mkdirSync(bin)
  mkdirSync(scripts)
  writeFileSync(join(bin, 'muster'), `#!/bin/sh\nexec ${cliWords} "$@"\n`)
  chmodSync(join(bin, 'muster'), 0o755)
  repo.write('plan.yaml', planText('shop', { 1: '', 2: '' }))
  exited(await repo.here('run', 'plan.yaml'), 0)
  for (const shell of ['bash', 'zsh', 'fish']) {
    writeFileSync(join(scripts, shell), exited(await repo.here('completion', shell), 0).stdout)
  }
})

const has = (shell: string) => spawnSync(shell, ['--version']).status === 0

function inShell(words: readonly string[], cwd = repo.dir): string {
  const [shell = '', ...args] = words
  const { PATH, ...clean } = cleanEnv(repo.home, repo.musterHome)
  const env = { ...clean, PATH: `${bin}:${PATH}`, TERM: 'xterm' }
  return execFileSync(shell, args, {
    cwd,
    env,
    encoding: 'utf8',
    timeout: 30_000,
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()
}

/** A line up to the cursor, and what is offered for its last word. */
const LINES: readonly [string[], string[]][] = [
  [['muster', 'expl'], ['explain']],
  [
    ['muster', 'sta'],
    ['stats', 'status'],
  ],
  [
    ['muster', 'show', 'sh'],
    ['shop-1', 'shop-2'],
  ],
  [['muster', 'ship', ''], ['shop']],
  [
    ['muster', '--no-input', 'diff', '--stat', ''],
    ['shop-1', 'shop-2'],
  ],
  [['muster', 'run', '--dry'], ['--dry-run']],
  [['muster', 'list', '--stage', 'rev'], ['review']],
  [['muster', 'list', '--story', ''], ['shop']],
  [['muster', 'help', 'phase'], ['phase-maps']],
  [
    ['muster', 'completion', ''],
    ['bash', 'fish', 'zsh'],
  ],
  [['muster', 'cancel', '-m', ''], []],
]

describe('bash', () => {
  const complete = (words: readonly string[], cwd?: string): string[] =>
    inShell(
      [
        'bash',
        '--norc',
        '-c',
        `source <(muster completion bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _muster; echo "\${COMPREPLY[@]}"`,
        'bash',
        ...words,
      ],
      cwd,
    )
      .split(' ')
      .filter(Boolean)
      .toSorted()

  test.each(LINES)('%j', (words, offered) => {
    expect(complete(words)).toEqual(offered)
  })

  test('files where a plan stands, and the folder that -C names', () => {
    expect(complete(['muster', 'run', 'pl'])).toEqual(['plan.yaml'])
    expect(complete(['muster', '-C', repo.dir, 'show', ''], '/')).toEqual(['shop-1', 'shop-2'])
    expect(complete(['muster', 'show', ''], '/')).toEqual([])
  })
})

describe.skipIf(!has('fish'))('fish', () => {
  test.each(LINES)('%j', (words, offered) => {
    const script = `source ${join(scripts, 'fish')}; complete -C "$argv[1]"`
    const lines = inShell(['fish', '--no-config', '-c', script, words.join(' ')]).split('\n')
    expect(
      lines
        .map((line) => line.split('\t')[0] ?? '')
        .filter(Boolean)
        .toSorted(),
    ).toEqual(offered)
  })
})

describe.skipIf(!has('zsh'))('zsh', () => {
  // A terminal of its own, since completion is part of its line editor: what it makes of the line is printed by it.
  const driver = `zmodload zsh/zpty
zpty z "zsh -f -i"
zpty -w z "PS1=; autoload -Uz compinit; compinit -u -D; source ${join(scripts, 'zsh')}; print ready"
zpty -r z out "*ready*ready*"
for line in "$@"; do
  zpty -w -n z "$line"$'\\t'$'\\x01'"print -r -- '<"$'\\x05'">'"$'\\n'
  zpty -r z out "*"$'\\n'"<*>*"
  print -r -- "\${\${out##*$'\\n'<}%%>*}"
done
zpty -d z`

  test('completes what is the only choice', () => {
    const single = LINES.filter(([words, offered]) => offered.length === 1 && words.at(-1) !== '')
    const lines = [...single.map(([words]) => words.join(' ')), `muster -C ${repo.dir} ship sh`, 'muster ship sh']
    const completed = inShell(['zsh', '-f', '-c', driver, 'zsh', ...lines]).split(/\r?\n/)
    const wanted = single.map(([words, [offered]]) => [...words.slice(0, -1), offered].join(' '))
    expect(completed.map((line) => line.trimEnd())).toEqual([
      ...wanted,
      `muster -C ${repo.dir} ship shop`,
      'muster ship shop',
    ])
  })
})

test('what shells ask never fails loudly, and a shell that is not known is refused', async () => {
  for (const what of ['tasks', 'stories', 'nothing']) {
    expect(await repo.hereWith({ cwd: '/' }, '__complete', what)).toMatchObject({ code: 0, stdout: '', stderr: '' })
  }
  expect((await repo.here('__complete', 'tasks', 'shop-2')).stdout).toBe('shop-2\n')
  expect(exited(await repo.here('completion', 'tcsh'), 2).stderr).toContain('muster completion bash')
})
