import { describe, expect, test } from 'vitest'
import { resolveCommand } from './command.ts'
import type { Trusted } from './script-file.ts'

const PACKAGE = JSON.stringify({
  scripts: {
    test: 'vitest run',
    unit: 'npm run build && vitest run unit',
    build: 'tsc',
    all: 'npm run lint; npm test',
    lint: 'eslint . || echo fine',
    posttest: '',
    pretest2: 'tsc -b',
    test2: 'node --test',
    check: './check.sh --all',
    own: 'node test.js',
    loop: 'npm run loop',
    preshown: 'tsc',
    shown: 'tape test | spec',
  },
})

function trusted(files: Record<string, string>, changed: string[] = [], own: Record<string, string> = {}): Trusted {
  return {
    read: async (path) => files[path] ?? null,
    files: async () => Object.keys(files),
    own: async (path) => (own[path] === undefined ? null : { at: `/project/${path}`, text: own[path] }),
    changed: (path) => changed.includes(path),
  }
}

const resolve = (run: string, side: Trusted, cwd = '', configured = true) => resolveCommand(run, cwd, side, configured)

describe('package scripts are what the base defines (E-19)', () => {
  const side = trusted({ 'package.json': PACKAGE }, ['package.json'])

  test.each([
    ['npm test', 'vitest run'],
    ['npm t', 'vitest run'],
    ['npm test -- src/a --bail', 'vitest run src/a --bail'],
    ['npm test session', 'vitest run session'],
    ['npm run -s unit', 'tsc && vitest run unit'],
    ['yarn unit', 'tsc && vitest run unit'],
    ['CI=1 npm test', 'CI=1 vitest run'],
    ['npm run test2', 'tsc -b && node --test'],
    ['npm run test2 -- a b', 'tsc -b && node --test a b'],
    ['npm test > log 2>&1', 'vitest run > log 2>&1'],
    ['npm test | tee log', 'vitest run | tee log'],
    ['npm run build && npm test', 'tsc && vitest run'],
    ['npm run shown', 'tsc && tape test | spec'],
    ['xvfb-run -a npm test -- a', 'xvfb-run -a vitest run a'],
    ['timeout -k5 60s env CI=1 npm test', 'timeout -k5 60s env CI=1 vitest run'],
    ['cross-env CI=1 npm test', 'cross-env CI=1 vitest run'],
    ['CI=1 xvfb-run --auto-servernum npm test', 'CI=1 xvfb-run --auto-servernum vitest run'],
    ['npm run shown && npm test', 'tsc && tape test | spec && vitest run'],
    // Joined as they stand, `||` and `;` would mean something else.
    ['npm run lint && npm test', '( eslint . || echo fine ) && vitest run'],
    ['npm run all', '( eslint . || echo fine ); vitest run'],
    ['npm run shown | tee log', '( tsc && tape test | spec ) | tee log'],
    ['npm run unit | tee log', '( tsc && vitest run unit ) | tee log'],
    ['CI=1 npm run unit', '( export CI=1; tsc && vitest run unit )'],
  ])('%s is %s', async (run, command) => {
    expect(await resolve(run, side)).toMatchObject({ command, loose: false })
  })

  test.each([
    'xvfb-run -a npm run unit',
    'xvfb-run -a npm run nothing',
    'xvfb-run -s "-screen 0" npm test',
    'c8 npm test',
  ])('are all of them where nobody can say what runs: %s', async (run) => {
    expect(await resolve(run, side)).toMatchObject({ command: run, loose: true })
  })

  test('are named with those that run around them, and find what packages installed', async () => {
    expect(await resolve('npm test', side)).toMatchObject({
      scripts: ['package.json pretest', 'package.json test', 'package.json posttest'],
      prefix: 'export PATH="$PWD/node_modules/.bin:$PATH"; ',
    })
  })

  test('of a folder are that folder’s, however it is said', async () => {
    const other = trusted({ 'package.json': PACKAGE, 'web/package.json': '{ "scripts": { "test": "jest" } }' })
    const expected = { cwd: 'web', command: 'jest', prefix: expect.stringContaining('$PWD/../node_modules/.bin') }
    expect(await resolve('npm test', other, 'web')).toMatchObject(expected)
    expect(await resolve('cd web && npm test', other)).toMatchObject(expected)
  })

  test.each([
    'npm run nothing',
    'npm --prefix web test',
    'npm test --workspaces',
    'npm run test -w web',
    'pnpm --filter web test',
    'npm ci',
    'for x in a b; do npm test; done',
    'npm run loop',
    'true && cd web && npm test',
    'cd "$DIR" && npm test',
    '(npm test)',
    '{ npm test; }',
    '$NPM test',
  ])('that cannot be told from the words are left to the shell, and that is told: %s', async (run) => {
    expect(await resolve(run, side)).toMatchObject({ loose: true })
  })
})

test('behind a change of folder a command is nobody’s but the shell’s', async () => {
  const run = 'true && cd web && npm test'
  expect((await resolve(run, trusted({ 'package.json': PACKAGE }))).command).toBe(run)
})

describe('a script is the base’s (E-19)', () => {
  const files = {
    'check.sh': 'sh lib/more.sh\nnode -e 1\n',
    'scripts/lint.js': 'x\n',
    'test.js': 'y\n',
    'ci/link': '../check.sh',
  }
  const beside = (path: string) =>
    expect.stringMatching(new RegExp(`^${path.replace(/[^/]*$/, '')}\\.muster-[0-9a-f]{12}-`))

  test('and runs in its place as long as the tree has the same', async () => {
    const same = await resolve('./check.sh --all', trusted(files))
    expect(same).toMatchObject({ command: './check.sh --all', placed: [], files: ['check.sh', 'lib/more.sh'] })
  })

  test('and lies beside the other where the tree has another', async () => {
    const { command, placed } = await resolve(
      'sh check.sh x && node scripts/lint.js',
      trusted(files, Object.keys(files)),
    )
    expect(placed).toEqual([
      { path: beside('check.sh'), text: files['check.sh'] },
      { path: beside('scripts/lint.js'), text: 'x\n' },
    ])
    expect(command).toBe(`sh ./${placed[0]?.path} x && node ./${placed[1]?.path}`)
  })

  test('also when a package script or a link names it', async () => {
    const side = trusted({ ...files, 'package.json': PACKAGE }, ['check.sh'])
    expect((await resolve('npm run check', side)).command).toMatch(/^\.\/\.muster-\w+-check\.sh --all$/)
    expect((await resolve('ci/link', side)).command).toMatch(/^\.\/\.muster-\w+-check\.sh$/)
  })

  test('but the project’s tests are the work’s: they run as they are, and are named', async () => {
    const side = trusted({ ...files, 'package.json': PACKAGE }, ['test.js'])
    expect(await resolve('npm run own', side)).toMatchObject({
      command: 'node test.js',
      placed: [],
      files: ['test.js'],
    })
  })

  test('or the user’s own while it is not committed', async () => {
    const side = trusted({}, ['mine.sh'], { 'mine.sh': 'true\n' })
    expect((await resolve('./mine.sh', side)).placed).toEqual([{ path: beside('mine.sh'), text: 'true\n' }])
  })

  test.each(['bun check.sh', 'bun run check.sh', 'deno run check.sh', 'CI=1 node -r x check.sh'])(
    'is found behind its interpreter: %s',
    async (run) => expect((await resolve(run, trusted(files))).files).toContain('check.sh'),
  )

  test.each(['deno check.sh', 'bun -e check.sh'])('and is none where its interpreter takes none: %s', async (run) => {
    expect((await resolve(run, trusted(files))).files).toEqual([])
  })

  test('and in a task’s own words it is what is judged, unless it sounds like a judge', async () => {
    const side = trusted({ ...files, 'cli.js': 'x' }, ['cli.js', 'check.sh'])
    expect(await resolve('node cli.js list', side, '', false)).toMatchObject({ files: [], placed: [] })
    expect(await resolve('./check.sh', side, '', false)).toMatchObject({
      files: ['check.sh', 'lib/more.sh'],
      placed: [],
    })
  })

  test.each([
    'node_modules/.bin/tsc',
    '.venv/bin/python -m pytest',
    '/bin/sh check.sh x',
    '../x.sh',
    'python3 -m pytest a.py',
    'node --test a.js',
  ])('what is installed, elsewhere or no script stays: %s', async (run) => {
    const side = trusted({ 'a.py': '', 'a.js': '' }, ['a.py', 'a.js'], { '.venv/bin/python': 'x' })
    expect(await resolve(run, side)).toMatchObject({ command: run, placed: [], files: [] })
  })
})

describe('make targets are the base’s (E-19)', () => {
  const makefile = 'include more.mk\ntest:\n\t@sh run.sh && ./tool a\n'

  test('where nothing about the makefile changed it runs as it is, and what it runs is named', async () => {
    const { command, files } = await resolve('make test', trusted({ Makefile: makefile }))
    expect(command).toBe('make test')
    expect(files).toEqual(['GNUmakefile', 'makefile', 'Makefile', 'more.mk', 'run.sh', 'tool'])
  })

  test('a changed one, or one that comes before it, is not used', async () => {
    const changed = await resolve('make -s test', trusted({ Makefile: makefile }, ['Makefile']))
    expect(changed.command).toMatch(/^make -f \.muster-\w+-Makefile -s test$/)
    const other = await resolve('make test', trusted({ Makefile: makefile }, ['GNUmakefile']))
    expect(other).toMatchObject({ command: 'make -f Makefile test', placed: [] })
  })

  test('one that is named otherwise is left alone, and that is told', async () => {
    expect(await resolve('make -C web test', trusted({}))).toMatchObject({ loose: true })
  })
})
