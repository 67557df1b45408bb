/**
 * Which tools a project really has, and how they are run. Looks at file names and a few file contents that are handed
 * in; runs nothing. Per activity the first that fits counts: the project's own scripts and make targets before tools
 * that are merely configured.
 */

import { jvmTools, nativeTools, phpTools, rubyTools } from './more-tools.ts'
import { managerOf, packageOf, type ReadText } from './packages.ts'
import { CARGO_CACHE, GO_CACHE, setupsOf, usesPytest, VENV_PYTHON } from './setup.ts'

export const TOOLS = ['typecheck', 'lint', 'unit-test', 'build', 'e2e'] as const
export type ToolName = (typeof TOOLS)[number]

export interface Tool {
  command: string
  /** Where that is known from, for people. */
  from: string
}

export interface ProjectFacts {
  tools: Readonly<Partial<Record<ToolName, Tool>>>
  /** Those that muster.yaml switches off. */
  off: readonly string[]
  parts: readonly Part[]
}

/** A check of muster.yaml that guards the changes of a part of the project. */
export interface Part {
  name: string
  command: string
  /** The folder it runs in; empty: the root. */
  cwd: string
  /** What it does there, if that is known: `unit-test-api` is a `unit-test`. */
  tool: ToolName | null
}

/** The files that tell which tools there are; all in the root. */
export const FACT_FILES =
  /^(?:package\.json|\.gitmodules|GNUmakefile|Makefile|makefile|[Jj]ustfile|Taskfile\.ya?ml|pyproject\.toml|setup\.cfg|tox\.ini|noxfile\.py|pytest\.ini|\.flake8|requirements[\w.-]*\.txt|[\w-]*-requirements\.txt|go\.sum|Cargo\.lock|Gemfile|Rakefile|composer\.json|pom\.xml|CMakeLists\.txt)$/

/**
 * `configured`: the checks that muster.yaml names, by name; they win over what is found. False: it wants none of that
 * name. `parts`: what they do for a part, nothing that is found does for the whole.
 */
export function factsOf(
  files: readonly string[],
  read: ReadText,
  configured: Readonly<Record<string, string | false>> = {},
  parts: readonly Part[] = [],
): ProjectFacts {
  const project: Project = { names: new Set(files.filter((file) => !file.includes('/'))), files, read }
  const found = FINDERS.map((find) => find(project))
  const tools: Partial<Record<ToolName, Tool>> = {}
  for (const name of TOOLS) {
    const run = Object.hasOwn(configured, name) ? configured[name] : undefined
    if (run === false || (run === undefined && parts.some(({ tool }) => tool === name))) continue
    const tool = run === undefined ? found.find((some) => some[name] !== undefined)?.[name] : fromConfig(name, run)
    if (tool !== undefined) tools[name] = tool
  }
  return { tools, off: Object.keys(configured).filter((name) => configured[name] === false), parts }
}

export interface Project {
  /** Files in the root. */
  names: ReadonlySet<string>
  files: readonly string[]
  read: ReadText
}

export type Found = Partial<Record<ToolName, Tool>>

const fromConfig = (name: string, command: string): Tool => ({ command, from: `checks.${name} of muster.yaml` })

const SCRIPTS: Readonly<Record<ToolName, readonly string[]>> = {
  typecheck: ['typecheck', 'type-check', 'types', 'check-types', 'check:types', 'tsc'],
  lint: ['lint', 'lint:check', 'format:check', 'fmt:check', 'check:format'],
  'unit-test': ['test', 'unit', 'test:unit', 'unit-test'],
  build: ['build'],
  e2e: ['e2e', 'test:e2e', 'e2e:test', 'test-e2e', 'playwright', 'cypress:run'],
}

function packageScripts({ names, read }: Project): Found {
  const { scripts } = packageOf(read)
  const { run } = managerOf(names, read)
  return eachTool((name) => {
    const script = SCRIPTS[name].find((candidate) => isRealScript(scripts[candidate]))
    if (script === undefined) return undefined
    return {
      command: script === 'test' ? run.test : `${run.script} ${script}`,
      from: `scripts.${script} of package.json`,
    }
  })
}

/** `npm init` writes a test script that always fails; it is no check. */
function isRealScript(script: unknown): boolean {
  return typeof script === 'string' && script.trim() !== '' && !script.includes('no test specified')
}

function makeTargets({ names, read }: Project): Found {
  const file = ['GNUmakefile', 'Makefile', 'makefile'].find((name) => names.has(name))
  if (file === undefined) return {}
  const targets = new Set([...(read(file) ?? '').matchAll(/^([\w.-]+)\s*:(?!=)/gm)].map(([, target]) => target))
  return eachTool((name) => {
    const target = [name, ...SCRIPTS[name], ...(name === 'unit-test' ? ['check'] : [])].find((some) =>
      targets.has(some),
    )
    return target === undefined ? undefined : { command: `make ${target}`, from: `target ${target} of ${file}` }
  })
}

/** Recipes of `just` and tasks of `task`. */
function taskTargets({ names, read }: Project): Found {
  const just = ['justfile', 'Justfile'].find((name) => names.has(name))
  const task = ['Taskfile.yml', 'Taskfile.yaml'].find((name) => names.has(name))
  const pattern = just === undefined ? /^ {2}([\w:.-]+):/gm : /^@?([\w-]+)(?:\s[^:=\n]*)?:(?!=)/gm
  const file = just ?? task
  if (file === undefined) return {}
  const targets = new Set([...(read(file) ?? '').matchAll(pattern)].map(([, target]) => target))
  return eachTool((name) => {
    const target = [name, ...SCRIPTS[name]].find((some) => targets.has(some))
    const program = just === undefined ? 'task' : 'just'
    return target === undefined ? undefined : { command: `${program} ${target}`, from: `${target} of ${file}` }
  })
}

/** Installed tools without a script. A tool that is not among the dependencies would be fetched when it is run. */
function nodeTools(project: Project): Found {
  const { dependencies } = packageOf(project.read)
  const { exec } = managerOf(project.names, project.read)
  const tool = (name: string, config: RegExp | null, args: string): Tool | undefined => {
    const program = args.split(' ')[0]
    const file = config === null ? name : [...project.names].find((candidate) => config.test(candidate))
    if (!Object.hasOwn(dependencies, name) || file === undefined) return undefined
    return { command: `${exec} ${args}`, from: config === null ? `dependency ${name}` : `${file} and ${program}` }
  }
  const found: Record<ToolName, Tool | undefined> = {
    typecheck: tool('typescript', /^tsconfig\.json$/, 'tsc --noEmit'),
    lint:
      tool('oxlint', /^\.oxlintrc\.json$/, 'oxlint') ??
      tool('eslint', /^(?:eslint\.config\.|\.eslintrc)/, 'eslint .') ??
      tool('@biomejs/biome', /^biome\.jsonc?$/, 'biome check') ??
      tool('prettier', /^(?:\.prettierrc|prettier\.config\.)/, 'prettier --check .'),
    'unit-test':
      tool('vitest', null, 'vitest run') ??
      tool('jest', null, 'jest') ??
      tool('mocha', null, 'mocha') ??
      nodeTest(project),
    build: undefined,
    e2e:
      tool('@playwright/test', /^playwright\.config\./, 'playwright test') ??
      tool('cypress', /^cypress\.config\./, 'cypress run'),
  }
  return eachTool((name) => found[name])
}

function nodeTest({ names, files }: Project): Tool | undefined {
  const test = names.has('package.json') ? files.find((file) => /\.test\.[cm]?js$/.test(file)) : undefined
  return test === undefined ? undefined : { command: 'node --test', from: test }
}

function goTools({ names, files, read }: Project): Found {
  if (!names.has('go.mod')) return {}
  const before = setupsOf(files, read).some(({ program }) => program === 'go') ? `${GO_CACHE} ` : ''
  const golangci = [...names].find((name) => /^\.golangci\.(?:ya?ml|toml|json)$/.test(name))
  return {
    typecheck: { command: `${before}go build ./...`, from: 'go.mod' },
    lint:
      golangci === undefined
        ? { command: `${before}go vet ./...`, from: 'go.mod' }
        : { command: `${before}golangci-lint run`, from: golangci },
    'unit-test': { command: `${before}go test ./...`, from: 'go.mod' },
  }
}

function rustTools({ names, files, read }: Project): Found {
  if (!names.has('Cargo.toml')) return {}
  const cargo = setupsOf(files, read).some(({ program }) => program === 'cargo') ? `${CARGO_CACHE} cargo` : 'cargo'
  return {
    typecheck: { command: `${cargo} check --all-targets`, from: 'Cargo.toml' },
    lint: { command: `${cargo} clippy --all-targets`, from: 'Cargo.toml' },
    'unit-test': { command: `${cargo} test`, from: 'Cargo.toml' },
    build: { command: `${cargo} build`, from: 'Cargo.toml' },
  }
}

function pythonTools({ names, files, read }: Project): Found {
  const settings = ['pyproject.toml', 'setup.cfg', 'tox.ini'].filter((name) => names.has(name))
  const tool = (own: readonly string[], section: string, command: string): Tool | undefined => {
    const file = own.find((name) => names.has(name))
    if (file !== undefined) return { command, from: file }
    const within = settings.find((name) => (read(name) ?? '').includes(`[${section}`))
    return within === undefined ? undefined : { command, from: `${section} in ${within}` }
  }
  const own = setupsOf(files, read).some(({ program }) => ['python3', 'uv', 'poetry'].includes(program))
  // The work's own code comes before what is installed of it.
  const path = files.some((file) => /^src\/[^/]+\/__init__\.py$/.test(file)) ? 'PYTHONPATH=src ' : ''
  const python = `${path}${own ? VENV_PYTHON : 'python3'}`
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

const FINDERS: readonly ((project: Project) => Found)[] = [
  packageScripts,
  makeTargets,
  taskTargets,
  nodeTools,
  goTools,
  rustTools,
  pythonTools,
  rubyTools,
  phpTools,
  jvmTools,
  nativeTools,
]

function eachTool(find: (name: ToolName) => Tool | undefined): Found {
  return Object.fromEntries(
    TOOLS.flatMap((name) => {
      const tool = find(name)
      return tool === undefined ? [] : [[name, tool]]
    }),
  )
}
