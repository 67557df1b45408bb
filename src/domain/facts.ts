/**
 * Which tools a project really has, and how they are run. Looks at file names and a few file contents that are handed
 * in; runs nothing. Per activity the first that fits counts: the project's own scripts and make targets before tools
 * that are merely configured.
 */

export const TOOLS = ['typecheck', 'lint', 'unit-test', 'build', 'e2e'] as const
export type ToolName = (typeof TOOLS)[number]

export interface Tool {
  command: string
  /** Where that is known from, for people. */
  from: string
}

export interface ProjectFacts {
  tools: Readonly<Partial<Record<ToolName, Tool>>>
}

/** The files that tell which tools there are; all in the root. */
export const FACT_FILES =
  /^(?:package\.json|\.gitmodules|GNUmakefile|Makefile|makefile|pyproject\.toml|setup\.cfg|tox\.ini|\.flake8)$/

/** A text of the project by its path from the root; null when there is none. */
export type ReadText = (path: string) => string | null

/** `configured`: the checks that muster.yaml names, by name; they win over what is found. */
export function factsOf(
  files: readonly string[],
  read: ReadText,
  configured: Readonly<Record<string, string>> = {},
): ProjectFacts {
  const project: Project = { names: new Set(files.filter((file) => !file.includes('/'))), files, read }
  const found = [packageScripts, makeTargets, nodeTools, goTools, rustTools, pythonTools].map((find) => find(project))
  const tools: Partial<Record<ToolName, Tool>> = {}
  for (const name of TOOLS) {
    const run = Object.hasOwn(configured, name) ? configured[name] : undefined
    const tool = run === undefined ? found.find((some) => some[name] !== undefined)?.[name] : fromConfig(name, run)
    if (tool !== undefined) tools[name] = tool
  }
  return { tools }
}

interface Project {
  /** Files in the root. */
  names: ReadonlySet<string>
  files: readonly string[]
  read: ReadText
}

type Found = Partial<Record<ToolName, Tool>>

const fromConfig = (name: string, command: string): Tool => ({ command, from: `checks.${name} of muster.yaml` })

const SCRIPTS: Readonly<Record<ToolName, readonly string[]>> = {
  typecheck: ['typecheck', 'type-check', 'types', 'check-types', 'check:types', 'tsc'],
  lint: ['lint', 'lint:check', 'format:check', 'fmt:check', 'check:format'],
  'unit-test': ['test', 'unit', 'test:unit', 'unit-test'],
  build: ['build'],
  e2e: ['e2e', 'test:e2e', 'e2e:test', 'test-e2e', 'playwright', 'cypress:run'],
}

function packageScripts(project: Project): Found {
  const { scripts } = packageOf(project)
  const { run } = managerOf(project)
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

interface PackageJson {
  scripts: Readonly<Record<string, unknown>>
  dependencies: Readonly<Record<string, unknown>>
}

/** A package.json that is no JSON offers nothing; the project's own tools will say so. */
function packageOf({ names, read }: Project): PackageJson {
  let value: unknown = null
  try {
    value = names.has('package.json') ? JSON.parse(read('package.json') ?? 'null') : null
  } catch {
    // As above.
  }
  const part = (key: string): Record<string, unknown> => {
    const map = isMap(value) ? value[key] : undefined
    return isMap(map) ? map : {}
  }
  return { scripts: part('scripts'), dependencies: { ...part('dependencies'), ...part('devDependencies') } }
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

interface Manager {
  run: { script: string; test: string }
  /** Runs a program of an installed package. */
  exec: string
}

function managerOf({ names }: Project): Manager {
  if (names.has('pnpm-lock.yaml')) return { run: { script: 'pnpm run', test: 'pnpm test' }, exec: 'pnpm exec' }
  if (names.has('yarn.lock')) return { run: { script: 'yarn run', test: 'yarn test' }, exec: 'yarn' }
  // `bun test` is Bun's own test runner, not the script.
  const bun = names.has('bun.lock') || names.has('bun.lockb')
  if (bun) return { run: { script: 'bun run', test: 'bun run test' }, exec: 'bun x' }
  return { run: { script: 'npm run', test: 'npm test' }, exec: 'npx' }
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

/** Installed tools without a script. A tool that is not among the dependencies would be fetched when it is run. */
function nodeTools(project: Project): Found {
  const { dependencies } = packageOf(project)
  const { exec } = managerOf(project)
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

function goTools({ names }: Project): Found {
  if (!names.has('go.mod')) return {}
  const golangci = [...names].find((name) => /^\.golangci\.(?:ya?ml|toml|json)$/.test(name))
  return {
    typecheck: { command: 'go build ./...', from: 'go.mod' },
    lint:
      golangci === undefined
        ? { command: 'go vet ./...', from: 'go.mod' }
        : { command: 'golangci-lint run', from: golangci },
    'unit-test': { command: 'go test ./...', from: 'go.mod' },
  }
}

function rustTools({ names }: Project): Found {
  if (!names.has('Cargo.toml')) return {}
  return {
    typecheck: { command: 'cargo check --all-targets', from: 'Cargo.toml' },
    lint: { command: 'cargo clippy --all-targets', from: 'Cargo.toml' },
    'unit-test': { command: 'cargo test', from: 'Cargo.toml' },
    build: { command: 'cargo build', from: 'Cargo.toml' },
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
  const tests = files.find((file) => /(?:^|\/)(?:conftest|test_[^/]*)\.py$/.test(file))
  const found: Record<ToolName, Tool | undefined> = {
    typecheck:
      tool(['mypy.ini', '.mypy.ini'], 'tool.mypy', 'mypy .') ?? tool(['pyrightconfig.json'], 'tool.pyright', 'pyright'),
    lint: tool(['ruff.toml', '.ruff.toml'], 'tool.ruff', 'ruff check .') ?? tool(['.flake8'], 'flake8', 'flake8'),
    'unit-test':
      tool(['pytest.ini'], 'tool.pytest', 'python3 -m pytest') ??
      (tests === undefined ? undefined : { command: 'python3 -m pytest', from: tests }),
    build: undefined,
    e2e: undefined,
  }
  return eachTool((name) => found[name])
}

function eachTool(find: (name: ToolName) => Tool | undefined): Found {
  return Object.fromEntries(
    TOOLS.flatMap((name) => {
      const tool = find(name)
      return tool === undefined ? [] : [[name, tool]]
    }),
  )
}
