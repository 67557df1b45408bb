import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findCommandProblem, resolveScripts } from './command.ts'
import { script, tempDir } from './fixtures/temp.ts'

function project(name = 'plain'): string {
  const root = join(tempDir(), name)
  mkdirSync(join(root, 'bin'), { recursive: true })
  script(join(root, 'agent.sh'), 'true')
  script(join(root, '../outside.sh'), 'true')
  script(join(root, 'bin/my agent.sh'), 'true')
  writeFileSync(join(root, 'agent.js'), '')
  return root
}

describe('resolveScripts', () => {
  test.each([
    ['./agent.sh --fast', 'R/agent.sh --fast'],
    ['sh agent.sh a b', 'sh R/agent.sh a b'],
    ['  sh -eu agent.sh', '  sh -eu R/agent.sh'],
    ['bash -o pipefail ./agent.sh | tee x', 'bash -o pipefail R/agent.sh | tee x'],
    ['A=1 B="x y" node agent.js && ./agent.sh', 'A=1 B="x y" node R/agent.js && ./agent.sh'],
    ['node --import agent.js "agent.js"', 'node --import agent.js R/agent.js'],
    ['/usr/bin/node agent.js', '/usr/bin/node R/agent.js'],
    ['python3.12 -u agent.js', 'python3.12 -u R/agent.js'],
    ['deno run -A agent.js', 'deno run -A R/agent.js'],
    ['bun run agent.js', 'bun run R/agent.js'],
    ['bun agent.js', 'bun R/agent.js'],
    ["'bin/my agent.sh' x", "'R/bin/my agent.sh' x"],
    ['bin/my\\ agent.sh;true', "'R/bin/my agent.sh';true"],
  ])('%s becomes %s', (run, resolved) => {
    const root = project()
    expect(resolveScripts(run, root)).toBe(resolved.replace('R', root))
  })

  test.each([
    'agent.sh',
    'cat agent.js',
    './missing.sh',
    'sh -c agent.sh',
    'bash -lc ./agent.sh',
    'sh',
    'node -e agent.js',
    'python3 -m agent.js',
    'deno test agent.js',
    'node $DIR/agent.js',
    '~/agent.sh',
    './$NAME.sh',
    '../outside.sh',
    '/bin/true agent.sh',
    './bin',
    '(cd x && ./agent.sh)',
    'echo a; ./agent.sh',
    '',
    "sh 'unterminated",
  ])('%s stays as it is', (run) => {
    expect(resolveScripts(run, project())).toBe(run)
  })

  test('a project in a folder with spaces and quotes is quoted for the shell', () => {
    const root = project("it's here")
    expect(resolveScripts('./agent.sh', root)).toBe(`'${root.replace("'", `'\\''`)}/agent.sh'`)
  })
})

describe('findCommandProblem', () => {
  test.each([
    'sh agent.sh',
    './agent.sh',
    'cd x && y',
    'if true; then x; fi',
    'A=1 nonsense-1',
    '(nonsense-2)',
    '{ nonsense-3; }',
    '$AGENT run',
    '! true',
    '[ -f x ]',
    '/bin/sh x',
    '../elsewhere/x',
  ])('%s is fine', async (run) => {
    expect(await findCommandProblem(run, project())).toBeNull()
  })

  test.each([
    ['', 'the command is empty'],
    ['no-such-agent --x', 'the command "no-such-agent" is not found'],
    ['./missing.sh', 'the command "./missing.sh" is not found: there is no R/missing.sh'],
    ['./bin x', 'the command "./bin" is a directory'],
    ['./agent.js', 'the command "./agent.js" is not executable: chmod +x R/agent.js'],
    ['/no/such/program', 'the command "/no/such/program" is not found: there is no /no/such/program'],
  ])('%s: %s', async (run, problem) => {
    const root = project()
    expect(await findCommandProblem(run, root)).toBe(problem.replace('R/', `${root}/`))
  })

  test('a file that only the setup makes is no problem where there is one; a script that is missing is', async () => {
    const root = project()
    const problem = (run: string, setup: boolean) => findCommandProblem(run, root, { setup })
    for (const run of ['.venv/bin/python -m pytest', 'vendor/bin/phpunit', 'build/tests'])
      expect([await problem(run, true), await problem(run, false)]).toEqual([
        null,
        expect.stringContaining(`"${run.split(' ')[0] ?? ''}" is not found`),
      ])
    expect(await problem('./missing.sh', true)).toContain(`there is no ${root}/missing.sh`)
  })

  test('a path is looked for in the folder that the command runs in', async () => {
    const root = project()
    expect(await findCommandProblem('./agent.sh', root, { cwd: 'bin' })).toContain(`there is no ${root}/bin/agent.sh`)
    expect(await findCommandProblem('../agent.sh', root, { cwd: 'bin' })).toBeNull()
  })
})
