/** Tools of Python projects, and the sessions of tox and nox; see facts.ts. */
import type { ReadText } from './packages.ts'
import { poetryMembers, setupsOf, usesPytest, uvMembers, VENV_PYTHON } from './setup.ts'
import { eachTool, type Found, isInCi, type Project, type Tool } from './tool-finder.ts'
import { type ToolName } from '../domain/tool.ts'
import { shellQuote } from './words.ts'

export function pythonTools({ names, files, read }: Project): Found {
  const settings = ['pyproject.toml', 'setup.cfg', 'tox.ini'].filter((name) => names.has(name))
  const tool = (own: readonly string[], section: string, command: string): Tool | undefined => {
    const file = own.find((name) => names.has(name))
    if (file !== undefined) return { command, from: file }
    const within = settings.find((name) => (read(name) ?? '').includes(`[${section}`))
    return within === undefined ? undefined : { command, from: `${section} in ${within}` }
  }
  // The work's own code comes before what is installed of it.
  const code = codeFolders(files, read)
  const path = code.length === 0 ? '' : `PYTHONPATH=${shellQuote(code.join(':'))} `
  const python = `${path}${hasSetup(files, read) ? VENV_PYTHON : 'python3'}`
  const found: Record<ToolName, Tool | undefined> = {
    typecheck:
      tool(['mypy.ini', '.mypy.ini'], 'tool.mypy', 'mypy .') ?? tool(['pyrightconfig.json'], 'tool.pyright', 'pyright'),
    lint: tool(['ruff.toml', '.ruff.toml'], 'tool.ruff', 'ruff check .') ?? tool(['.flake8'], 'flake8', 'flake8'),
    'unit-test':
      tool(['pytest.ini'], 'tool.pytest', `${python} -m pytest`) ??
      tool([], 'pytest', `${python} -m pytest`) ??
      pythonTests(files, read, python),
    build: undefined,
    e2e: undefined,
  }
  return eachTool((name) => found[name])
}

/** pytest where the project mentions it; unittest finds the tests of a folder, or of a package. */
function pythonTests(files: readonly string[], read: ReadText, python: string): Tool | undefined {
  const test = files.find((file) => /(?:^|\/)(?:conftest|test_[^/]*|[^/]*_test)\.py$/.test(file))
  if (test === undefined) return undefined
  const folder = /^(tests?)\//.exec(test)?.[1]
  const isUnittest = /^\s*(?:import unittest|from unittest\b)/m.test(read(test) ?? '')
  if (usesPytest(read) || files.some((file) => file.endsWith('conftest.py')) || !isUnittest)
    return { command: `${python} -m pytest`, from: test }
  const within = folder === undefined || files.includes(`${folder}/__init__.py`) ? '' : ` discover -s ${folder}`
  return { command: `${python} -m unittest${within}`, from: test }
}

const hasSetup = (files: readonly string[], read: ReadText): boolean =>
  setupsOf(files, read).some(({ program }) => ['python3', 'uv', 'poetry'].includes(program))

/** Where the project's own modules are, if not at the top. */
function codeFolders(files: readonly string[], read: ReadText): string[] {
  const within = (folder: string) =>
    files.some((file) => file.startsWith(folder) && MODULE.test(file.slice(folder.length)))
  const own = within('src/') ? ['src'] : []
  const members = [...uvMembers(files, read), ...poetryMembers(files, read)]
  return [...own, ...members.map((member) => (within(`${member}/src/`) ? `${member}/src` : member))]
}

const MODULE = /^[^/]+\/__init__\.py$/

const sessionCharsMax = 50_000

const SESSIONS: Readonly<Record<ToolName, readonly string[]>> = {
  typecheck: ['typecheck', 'type-check', 'typing', 'types', 'type', 'mypy', 'pyright'],
  lint: ['lint', 'linters', 'flake8', 'ruff', 'style', 'check'],
  'unit-test': ['tests', 'test', 'unit', 'py3', 'py'],
  build: [],
  e2e: [],
}

/**
 * tox and nox install what they need at every run. They are taken where they are here, and CI runs them or nothing else
 * says what the tests need.
 */
export function sessionTools({ names, files, read, hints }: Project): Found {
  const tox = ['tox.ini', 'tox.toml'].find((name) => names.has(name))
  const found: Found[] = []
  const offer = (program: string, file: string, sessions: ReadonlySet<string>, option: string): void => {
    if (hints?.has(program) !== true || !(isInCi(program, hints) || !hasSetup(files, read))) return
    const tools = eachTool((name) => {
      const session = SESSIONS[name].find((some) => sessions.has(some))
      const command = `${program} ${option} ${session}`
      return session === undefined ? undefined : { command, from: `${session} of ${file}`, own: true }
    })
    found.push(tools)
  }
  if (names.has('noxfile.py'))
    offer('nox', 'noxfile.py', noxSessions((read('noxfile.py') ?? '').slice(0, sessionCharsMax)), '-s')
  if (tox !== undefined) offer('tox', tox, toxSessions((read(tox) ?? '').slice(0, sessionCharsMax)), '-e')
  return Object.assign({}, ...found.toReversed()) as Found
}

function noxSessions(text: string): Set<string> {
  const named = text.matchAll(/^@(?:nox\.)?session\b([^]*?)^def (\w+)\(/gm)
  return new Set(
    [...named].map(([, options = '', name = '']) => /\bname\s*=\s*["']([\w.-]+)["']/.exec(options)?.[1] ?? name),
  )
}

/** With a section of its own, or listed; plain tests are `py`, with whichever Python is here. */
function toxSessions(text: string): Set<string> {
  const own = [...text.matchAll(/^\[(?:testenv:|env\.)([\w.-]+)\]/gm)].map(([, name = '']) => name)
  const list = /^env_?list\s*=([^]*?)(?=^\S|$(?![^]))/m.exec(text)?.[1] ?? ''
  const listed = list.replace(/["'[\]]/g, '').split(/[\s,]+/)
  const plain = /^\[(?:testenv|env_run_base)\]/m.test(text) && listed.some((name) => /^py\b|^py[\d{]/.test(name))
  return new Set([...own, ...listed.filter((name) => /^[\w.-]+$/.test(name)), ...(plain ? ['py'] : [])])
}
