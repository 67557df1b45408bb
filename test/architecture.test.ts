/**
 * The design's walls, as a test: which room may import which, and which calls belong to one room only. Widen a table
 * here only together with the design; an exception needs its reason beside it and goes when it is no longer used.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')
const linesMax = 400

interface Room {
  /** Rooms, or single files of one: a registry, which says what there is and starts nothing. */
  imports: readonly string[]
  /** Rooms of which only types may be imported. */
  types?: readonly string[]
}

/** A room is a folder of src/, or a file beside the folders. */
const ROOMS: Record<string, Room> = {
  domain: { imports: [] },
  /** What a repository's files say of how it is set up and tested. As pure as the domain. */
  tools: { imports: ['domain'] },
  ports: { imports: ['domain'] },
  engine: { imports: ['domain', 'ports', 'tools', 'durable.ts'] },
  config: { imports: ['domain', 'tools', 'agents/registry.ts', 'channels/registry.ts', 'forge/registry.ts'] },
  contract: { imports: ['domain', 'ports', 'tools'] },
  store: { imports: ['domain', 'ports'] },
  process: { imports: ['domain', 'tools', 'durable.ts'] },
  workspace: { imports: ['domain', 'ports', 'process', 'durable.ts'] },
  agents: { imports: ['domain', 'ports', 'process', 'tools'] },
  /** Runs jobs on this machine: knows its folders. */
  executor: { imports: ['domain', 'ports', 'process', 'reports', 'tools', 'durable.ts'] },
  channels: { imports: ['domain', 'ports'] },
  forge: { imports: ['domain', 'ports'] },
  /** What test runners are asked for, and what their reports say. */
  reports: { imports: ['domain', 'tools'] },
  verify: { imports: ['domain', 'ports', 'reports', 'tools'] },
  server: { imports: ['domain', 'config', 'engine', 'mcp', 'version.ts'], types: ['ports'] },
  mcp: { imports: ['domain', 'ports', 'config', 'engine'] },
  cli: {
    imports: [
      'domain',
      'config',
      'engine',
      'mcp',
      'tools',
      'app.ts',
      'backup.ts',
      'data-folder.ts',
      'kept-in.ts',
      'preview.ts',
      'project.ts',
      'run-logs.ts',
      'serve.ts',
      'upkeep.ts',
      'version.ts',
    ],
    types: ['ports'],
  },
  'version.ts': { imports: [] },
  /** Files that a restart trusts. */
  'durable.ts': { imports: [] },
  /** What keeps workers in, in words; apart from app.ts, so that looking loads no engine. */
  'kept-in.ts': { imports: ['domain', 'process'] },
  /** What runs jobs and what judges with them, put together. */
  'jobs.ts': { imports: ['engine', 'executor', 'kept-in.ts', 'process', 'verify'] },
  /** A project's data as one file, and back. */
  'backup.ts': {
    imports: [
      'domain',
      'engine',
      'store',
      'workspace',
      'app.ts',
      'data-folder.ts',
      'durable.ts',
      'history-key.ts',
      'project.ts',
      'proof.ts',
      'version.ts',
    ],
    types: ['ports'],
  },
  /** How the data is, what it takes, and what can be mended. */
  'upkeep.ts': {
    imports: ['domain', 'engine', 'store', 'workspace', 'app.ts', 'durable.ts', 'outage.ts', 'project.ts'],
    types: ['ports'],
  },
  /** What happened, for whoever has to find out why; apart from app.ts, which is long enough. */
  'engine-log.ts': { imports: ['project.ts'], types: ['ports'] },
  /** Where a project is served. */
  'served.ts': { imports: ['project.ts'] },
  /** What seals the history. */
  'history-key.ts': { imports: ['durable.ts'], types: ['ports'] },
  /** Whose the folder of the data is, and on what disk. */
  'data-folder.ts': { imports: ['domain', 'process', 'store', 'durable.ts', 'project.ts'] },
  /** What is mended after the machine went down. */
  'outage.ts': { imports: ['domain', 'process', 'workspace', 'durable.ts', 'project.ts'] },
  /** What shows that a person decides. */
  'proof.ts': { imports: ['domain', 'process', 'kept-in.ts', 'project.ts'] },
  /** What runs have left to read. */
  'run-logs.ts': { imports: ['domain', 'engine', 'executor', 'process', 'agents', 'project.ts'], types: ['ports'] },
  /** A project as the user has it: where it is and what it says. */
  'project.ts': { imports: ['domain', 'config', 'workspace'] },
  /** How a text would be judged; apart from app.ts, which is long enough. */
  'preview.ts': { imports: ['domain', 'contract', 'workspace', 'app.ts', 'project.ts'], types: ['ports'] },
  /** `muster serve` put together; apart from app.ts, so that nothing else loads the HTTP server. */
  'serve.ts': {
    imports: [
      'domain',
      'config',
      'engine',
      'server',
      'app.ts',
      'data-folder.ts',
      'kept-in.ts',
      'project.ts',
      'proof.ts',
      'run-logs.ts',
      'served.ts',
    ],
    types: ['ports'],
  },
  /** The composition root: the only file that knows every adapter. */
  'app.ts': {
    imports: [
      'domain',
      'ports',
      'engine',
      'store',
      'process',
      'workspace',
      'agents',
      'channels',
      'config',
      'contract',
      'forge',
      'verify',
      'server',
      'data-folder.ts',
      'engine-log.ts',
      'history-key.ts',
      'jobs.ts',
      'kept-in.ts',
      'outage.ts',
      'project.ts',
      'proof.ts',
      'served.ts',
    ],
  },
}

/** Commands that run before there is a project, and look at the machine through the rooms that know how. */
const IMPORT_EXCEPTIONS: Record<string, string> = {
  'src/cli/demo.ts → workspace/git.ts': 'makes the repository that the demo runs in',
  'src/cli/doctor.ts → workspace/repository.ts': 'asks whether git is there, with or without a project',
  'src/cli/help.ts → process/pager.ts': 'shows a page in the pager, which needs no project',
  'src/cli/init.ts → workspace/repository.ts': 'asks for the default branch before there is a configuration',
}

/** The rooms and files that use a package. */
const PACKAGES: Record<string, readonly string[]> = {
  '@hono/node-server': ['server/http/'],
  '@modelcontextprotocol/server': ['mcp'],
  '@modelcontextprotocol/server/stdio': ['mcp/stdio.ts'],
  commander: ['cli'],
  hono: ['server/http/'],
  kysely: ['store'],
  picomatch: ['contract/rules.ts', 'config/rules.ts', 'reports/reports.ts', 'verify'],
  pino: ['engine-log.ts'],
  saxes: ['reports/formats/coverage.ts', 'reports/formats/junit.ts'],
  yaml: ['config'],
  zod: ['config', 'forge', 'server/http/', 'mcp/people.ts'],
  vitest: [
    'executor/conformance.ts',
    'forge/conformance.ts',
    'store/conformance.ts',
    'store/conformance-history.ts',
    'process/fixtures/temp.ts',
  ],
}

interface Call {
  name: string
  pattern: RegExp
  /** Folders and files of src/ that may, and why where it is not plain. */
  only: Record<string, string>
}

const SCRIPTED = { 'agents/scripted/main.ts': 'a program of its own that plays an agent; it only lies in this tree' }

const CALLS: readonly Call[] = [
  { name: 'node:child_process', pattern: /'(?:node:)?child_process'/, only: { 'process/': 'starts every process' } },
  { name: 'node:sqlite', pattern: /'node:sqlite'/, only: { 'store/': 'owns the database' } },
  { name: 'the git program', pattern: /[[,]\s*'git'(?!\w)|spawn\w*\('git'/, only: { 'workspace/git.ts': 'runs git' } },
  {
    name: 'process.env',
    pattern: /\bprocess\.env\b|\{[^}]*\benv\b[^}]*\} = process\b/,
    only: {
      'process/environment.ts': 'the allow-list of what children get',
      'cli/io.ts': 'hands the environment to every command',
      ...SCRIPTED,
    },
  },
  {
    name: 'the clock',
    pattern: /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|\bprocess\.hrtime\b/,
    only: {
      'app.ts': 'is where the clock port is made',
      'process/': 'measures how long processes and their groups take',
      'cli/progress.ts': 'shows a person how long something has been running',
    },
  },
  {
    name: 'timers',
    pattern: /\bset(?:Timeout|Interval|Immediate)\b|'node:timers(?:\/promises)?'|\bAbortSignal\.timeout\b/,
    only: {
      'app.ts': 'is where the clock port is made',
      'process/': 'times out, kills and polls processes',
      'cli/main.ts': 'ends a process that has nothing more to say',
      'cli/progress.ts': 'redraws the screen',
      'channels/post.ts': 'a request over the network ends by itself',
      'forge/github/http.ts': 'a request over the network ends by itself',
      ...SCRIPTED,
    },
  },
  {
    name: 'randomness',
    pattern: /\bMath\.random\b|\brandom(?:Bytes|UUID|Int)\b|\bgetRandomValues\b/,
    only: {
      'app.ts': 'is where the random port is made',
    },
  },
]

const IMPURE = /\basync\b|\bawait\s|\bPromise\b|\bDate\b|\bMath\.random\b|\bcrypto\b|\bprocess\.|\bperformance\b|'node:/

interface Source {
  /** As in `src/cli/run.ts`. */
  path: string
  /** As in `cli/run.ts`. */
  inside: string
  room: string
  text: string
  /** The text with comments blanked, line by line the same. */
  code: string
}

const sources: Source[] = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .toSorted()
  .map((inside) => {
    const text = readFileSync(join(ROOT, 'src', inside), 'utf8')
    return { path: `src/${inside}`, inside, room: roomOf(inside), text, code: withoutComments(text) }
  })

function roomOf(inside: string): string {
  return inside.split('/')[0] ?? inside
}

function withoutComments(text: string): string {
  const blank = (comment: string) => comment.replace(/[^\n]/g, ' ')
  return text.replace(/\/\*[\s\S]*?\*\//g, blank).replace(/(?<=^|\s)\/\/.*$/gm, blank)
}

interface Import {
  source: Source
  line: number
  target: string
  typesOnly: boolean
}

const IMPORT = /^(?:import|export)\s+(type\s)?(?:[^'";]*?\bfrom\s+)?'([^']+)'|\bimport\(\s*'([^']+)'/gm

function importsOf(source: Source): Import[] {
  return [...source.code.matchAll(IMPORT)].map((match) => ({
    source,
    line: lineAt(source.code, match.index + match[0].length),
    target: match[2] ?? match[3] ?? '',
    typesOnly: match[1] !== undefined,
  }))
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

const imports = sources.flatMap(importsOf)
const crossings = imports
  .filter(({ target }) => target.startsWith('.'))
  .map((found) => ({ ...found, inside: posix.join(posix.dirname(found.source.inside), found.target) }))
  .filter(({ source, inside }) => roomOf(inside) !== source.room)

function isAllowed(room: string, inside: string, typesOnly: boolean): boolean {
  const { imports: allowed = [], types = [] } = ROOMS[room] ?? {}
  const other = roomOf(inside)
  return allowed.includes(other) || allowed.includes(inside) || (typesOnly && types.includes(other))
}

describe('rooms', () => {
  test('every folder and file of src/ is a room of the table', () => {
    expect([...new Set(sources.map(({ room }) => room))].toSorted()).toEqual(Object.keys(ROOMS).toSorted())
  })

  test('a room imports only what the design lets it import', () => {
    const wrong = crossings
      .filter(({ source, inside, typesOnly }) => !isAllowed(source.room, inside, typesOnly))
      .filter(({ source, inside }) => IMPORT_EXCEPTIONS[`${source.path} → ${inside}`] === undefined)
      .map(({ source, line, inside }) => `${source.path}:${line} imports ${inside}; ${describeRoom(source.room)}`)
    expect(wrong).toEqual([])
  })

  test('every exception is still needed', () => {
    const used = new Set(crossings.map(({ source, inside }) => `${source.path} → ${inside}`))
    expect(Object.keys(IMPORT_EXCEPTIONS).filter((exception) => !used.has(exception))).toEqual([])
  })

  test('no two rooms import each other', () => {
    const pairs = new Set(crossings.map(({ source, inside }) => `${source.room} ${roomOf(inside)}`))
    const mutual = [...pairs].filter((pair) => pairs.has(pair.split(' ').toReversed().join(' ')))
    expect(mutual).toEqual([])
  })

  test('a registry brings nothing along that starts or stores anything', () => {
    const runs = imports.filter(({ target, typesOnly }) => target.startsWith('.') && !typesOnly)
    const targets = Map.groupBy(
      runs.map(({ source, target }) => ({ from: source.inside, to: posix.join(posix.dirname(source.inside), target) })),
      ({ from }) => from,
    )
    const reached = new Set(sources.map(({ inside }) => inside).filter((inside) => inside.endsWith('/registry.ts')))
    const rooms = new Set(['domain', ...[...reached].map(roomOf)])
    expect(reached.size).toBe(3)
    for (const file of reached) for (const { to } of targets.get(file) ?? []) reached.add(to)
    expect([...reached].filter((file) => !rooms.has(roomOf(file)))).toEqual([])
  })

  test('a package is used in its room only', () => {
    const wrong = imports
      .filter(({ target }) => !target.startsWith('.') && !target.startsWith('node:'))
      .filter(({ source, target }) => !(PACKAGES[target] ?? []).some((place) => isIn(source, place)))
      .map(({ source, line, target }) => `${source.path}:${line} imports ${target}`)
    expect(wrong).toEqual([])
  })

  test('the parser of imports sees them in every form', () => {
    const text =
      "import 'a'\nimport b from 'b'\nimport type { C } from 'c'\nimport {\n  d,\n} from 'd'\nexport * from 'e'\n"
    const code = withoutComments(`${text}/* import 'x' */ const f = await import('f') // import('y')\n`)
    const found = importsOf({ path: '', inside: '', room: '', text: code, code })
    expect(found.map(({ target, line }) => `${target}${line}`)).toEqual(['a1', 'b2', 'c3', 'd6', 'e7', 'f8'])
    expect(found.filter(({ typesOnly }) => typesOnly).map(({ target }) => target)).toEqual(['c'])
  })
})

describe('the web board', () => {
  const pages: Source[] = readdirSync(join(ROOT, 'web'), { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => /\.tsx?$/.test(name) && name !== 'vite.config.ts')
    .map((inside) => {
      const text = readFileSync(join(ROOT, 'web', inside), 'utf8')
      return { path: `web/${inside}`, inside, room: 'web', text, code: withoutComments(text) }
    })
  const SERVER_TYPES = '../src/server/http/answers.ts'
  const WEB_PACKAGES = new Set([
    'react',
    'react-dom/client',
    'zod',
    'lowlight',
    ...['query', 'router', 'virtual'].map((name) => `@tanstack/react-${name}`),
  ])

  test('it has nothing of the server but the types of its answers', () => {
    const wrong = pages.flatMap(importsOf).filter(({ source, target, typesOnly }) => {
      const inside = posix.join(posix.dirname(source.inside), target)
      if (target.startsWith('.')) return inside.startsWith('..') && !(typesOnly && inside === SERVER_TYPES)
      if (target.startsWith('highlight.js/lib/languages/')) return source.inside !== 'diff/highlight.ts'
      return !WEB_PACKAGES.has(target) || (target === 'zod' && !typesOnly)
    })
    expect(wrong.map(({ source, line, target }) => `${source.path}:${line} imports ${target}`)).toEqual([])
  })

  test('what others wrote is text there and nothing else: no markup, no code, no links of theirs', () => {
    const forbidden =
      /dangerouslySetInnerHTML|\b(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc|href=\{/i
    const wrong = pages.flatMap((source) => linesMatching(source, forbidden).map((line) => `${source.path}:${line}`))
    // The one link out of the board: to an address that the server builds from the project's own configuration.
    expect(wrong.filter((place) => !/^web\/parts\/pull\.tsx:\d+$/.test(place))).toEqual([])
    expect(wrong).toHaveLength(1)
  })

  test('every file opens with a comment that says what it owns, and none is long', () => {
    const silent = pages.filter(({ text }) => !text.startsWith('/**'))
    expect(silent.map(({ path }) => path)).toEqual([])
    expect(pages.filter(({ text }) => text.split('\n').length > linesMax).map(({ path }) => path)).toEqual([])
  })
})

function describeRoom(room: string): string {
  const { imports = [], types = [] } = ROOMS[room] ?? {}
  const allowed = [...imports, ...types.map((other) => `types of ${other}`)]
  return `${room} may import ${allowed.join(', ') || 'nothing'}`
}

/** `place` is a folder with a slash at its end, a room, or a file. */
function isIn(source: Source, place: string): boolean {
  return source.inside === place || source.room === place || (place.endsWith('/') && source.inside.startsWith(place))
}

function linesMatching(source: Source, pattern: RegExp): number[] {
  return source.code.split('\n').flatMap((line, index) => (pattern.test(line) ? [index + 1] : []))
}

describe('calls that belong to one room', () => {
  test.each(CALLS)('$name', ({ pattern, only }) => {
    const places = Object.keys(only)
    const wrong = sources
      .filter((source) => !places.some((place) => isIn(source, place)))
      .flatMap((source) => linesMatching(source, pattern).map((line) => `${source.path}:${line}`))
    expect(wrong).toEqual([])
  })

  test.each(CALLS)('$name: every place that may use it does', ({ pattern, only }) => {
    const unused = Object.keys(only).filter(
      (place) => !sources.some((source) => isIn(source, place) && linesMatching(source, pattern).length > 0),
    )
    expect(unused).toEqual([])
  })

  test.each(['domain', 'tools'])(
    '%s is pure: nothing asynchronous, no clock, no randomness, no environment, no platform',
    (pure) => {
      const wrong = sources
        .filter(({ room }) => room === pure)
        .flatMap((source) => linesMatching(source, IMPURE).map((line) => `${source.path}:${line}`))
      expect(wrong).toEqual([])
    },
  )
})

describe('files', () => {
  test('every one opens with a comment that says what it owns', () => {
    const silent = sources.filter(({ text }) => !/^(?:#!.*\n)?\/(?:\*\*|\/)/.test(text))
    expect(silent.map(({ path }) => `${path}:1`)).toEqual([])
  })

  test(`none has more than ${linesMax} lines`, () => {
    const long = sources.filter(({ text }) => text.trimEnd().split('\n').length > linesMax)
    expect(long.map(({ path, text }) => `${path}:${text.split('\n').length}`)).toEqual([])
  })
})
