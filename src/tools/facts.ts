/**
 * The tools of a project, and how to run them. Reads only the names and texts that it is given; runs nothing. For each
 * activity the first match counts: the project's own scripts and make targets before tools that are only configured.
 */

import { cmakeTools, jvmTools, nativeTools, phpTools, rubyTools } from './more-tools.ts'
import { isManager, managerOf, packageOf, type ReadText } from './packages.ts'
import { pythonTools, sessionTools } from './python-tools.ts'
import { CARGO_CACHE, GO_CACHE, goModules, setupsOf } from './setup.ts'
import { eachTool, type Found, type Hints, isInCi, type Project, type Tool } from './tool-finder.ts'
import { type ToolName, TOOLS } from '../domain/tool.ts'
import { programOf } from './words.ts'

export interface ProjectFacts {
  tools: Readonly<Partial<Record<ToolName, Tool>>>
  /** Those that muster.yaml switches off. */
  off: readonly string[]
  parts: readonly Part[]
}

/** Whether a check of this name does what `kind` does, be it for all or for a part: `unit-test-api` is a `unit-test`. */
export const isOf = (name: string, kind: string): boolean => name === kind || name.startsWith(`${kind}-`)

/** A check of muster.yaml that guards the changes of a part of the project. */
export interface Part {
  name: string
  command: string
  /** The folder it runs in; empty: the root. */
  cwd: string
  /** What it does there, if that is known. */
  tool: ToolName | null
}

/** The files that tell which tools there are; all in the root. */
export const FACT_FILES =
  /^(?:package\.json|\.gitmodules|GNUmakefile|Makefile|makefile|[Jj]ustfile|Taskfile\.ya?ml|pyproject\.toml|setup\.cfg|tox\.ini|noxfile\.py|pytest\.ini|\.flake8|requirements[\w.-]*\.txt|[\w-]*-requirements\.txt|go\.sum|Cargo\.lock|Gemfile|Rakefile|composer\.json|pom\.xml|CMakeLists\.txt|Cargo\.toml|go\.work)$/

/**
 * `configured`: the checks that muster.yaml names, by name; they win over what is found. False: it wants none of that
 * name. `parts`: what they do for a part, nothing that is found does for the whole.
 */
export function factsOf(
  files: readonly string[],
  read: ReadText,
  configured: Readonly<Record<string, string | false>> = {},
  parts: readonly Part[] = [],
  hints: Hints | null = null,
): ProjectFacts {
  const project: Project = { names: new Set(files.filter((file) => !file.includes('/'))), files, read, hints }
  const found = FINDERS.map((find) => find(project))
  const off = Object.keys(configured).filter((name) => configured[name] === false)
  const isParted = (name: ToolName) => parts.some(({ tool }) => tool === name) || off.some((one) => isOf(one, name))
  const tools: Partial<Record<ToolName, Tool>> = {}
  for (const name of TOOLS) {
    const run = Object.hasOwn(configured, name) ? configured[name] : undefined
    if (run === false || (run === undefined && isParted(name))) continue
    const offered = found.flatMap((some) => some[name] ?? [])
    const tool = run === undefined ? preferred(offered, project) : fromConfig(name, run)
    if (tool !== undefined) tools[name] = tool
  }
  return { tools, off, parts }
}

/** Of several ways the first that can be run here, and of those the one that CI goes. */
function preferred(tools: readonly Tool[], { hints }: Project): Tool | undefined {
  const usable = tools.filter(({ command }) => hints === null || isHere(programOf(command), hints))
  const some = usable.length > 0 ? usable : tools
  return some.find(({ command }) => isInCi(command, hints)) ?? some[0]
}

/** Scripts are run without their package manager. */
const isHere = (program: string, { has }: Hints): boolean => program === '' || isManager(program) || has(program)

const fromConfig = (name: string, command: string): Tool => ({ command, from: `checks.${name} of muster.yaml` })

const SCRIPTS: Readonly<Record<ToolName, readonly string[]>> = {
  typecheck: ['typecheck', 'type-check', 'types', 'check-types', 'check:types', 'tsc'],
  lint: ['lint', 'lint:check', 'format:check', 'fmt:check', 'check:format'],
  'unit-test': ['test', 'unit', 'test:unit', 'unit-test'],
  build: ['build'],
  e2e: ['e2e', 'test:e2e', 'e2e:test', 'test-e2e', 'playwright', 'cypress:run'],
}

/** Scripts of these names are taken if CI runs them and there is none of the above. */
const SCRIPTS_IN_CI: Readonly<Record<ToolName, RegExp>> = {
  typecheck: /^(?:check[:-])?types?\b|^tsc\b/,
  lint: /^lint\b(?!.*fix)/,
  'unit-test': /^(?:tests?|unit)\b(?!.*(?:e2e|watch))/,
  build: /^build\b(?!.*watch)/,
  e2e: /\be2e\b/,
}

function packageScripts({ names, read, hints }: Project): Found {
  const { scripts } = packageOf(read)
  const { run } = managerOf(names, read)
  const real = Object.keys(scripts).filter((script) => isRealScript(scripts[script]))
  const commandOf = (script: string) => (script === 'test' ? run.test : `${run.script} ${script}`)
  const inCi = (script: string) => isInCi(commandOf(script), hints)
  return eachTool((name) => {
    const [first, ...more] = SCRIPTS[name].filter((script) => real.includes(script))
    // One that runs the others does more than they.
    const other = more.find((script) => inCi(script) && !String(scripts[first ?? '']).includes(script))
    const chosen = first === undefined || inCi(first) || other === undefined ? first : other
    const script = chosen ?? real.find((one) => SCRIPTS_IN_CI[name].test(one) && inCi(one))
    if (script === undefined) return undefined
    return { command: commandOf(script), from: `scripts.${script} of package.json`, own: true }
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
    return target === undefined
      ? undefined
      : { command: `make ${target}`, from: `target ${target} of ${file}`, own: true }
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
    return target === undefined
      ? undefined
      : { command: `${program} ${target}`, from: `${target} of ${file}`, own: true }
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
  const modules = goModules(names, read)
  if (modules.length === 0) return {}
  const [all, from] = [modules.map((folder) => `${folder}/...`).join(' '), names.has('go.work') ? 'go.work' : 'go.mod']
  const before = setupsOf(files, read).some(({ program }) => program === 'go') ? `${GO_CACHE} ` : ''
  const golangci = [...names].find((name) => /^\.golangci\.(?:ya?ml|toml|json)$/.test(name))
  return {
    typecheck: { command: `${before}go build ${all}`, from },
    lint:
      golangci === undefined
        ? { command: `${before}go vet ${all}`, from }
        : { command: `${before}golangci-lint run${all === './...' ? '' : ` ${all}`}`, from: golangci },
    'unit-test': { command: `${before}go test ${all}`, from },
  }
}

function rustTools({ names, files, read }: Project): Found {
  if (!names.has('Cargo.toml')) return {}
  const cargo = setupsOf(files, read).some(({ program }) => program === 'cargo') ? `${CARGO_CACHE} cargo` : 'cargo'
  const manifest = read('Cargo.toml') ?? ''
  // Beside a package of its own, cargo leaves the members out; a list of default members is the project's word.
  const beside = /^\[workspace\]/m.test(manifest) && /^\[package\]/m.test(manifest)
  const all = beside && !/^default-members\s*=/m.test(manifest) ? ' --workspace' : ''
  return {
    typecheck: { command: `${cargo} check${all} --all-targets`, from: 'Cargo.toml' },
    lint: { command: `${cargo} clippy${all} --all-targets`, from: 'Cargo.toml' },
    'unit-test': { command: `${cargo} test${all}`, from: 'Cargo.toml' },
    build: { command: `${cargo} build${all}`, from: 'Cargo.toml' },
  }
}

const FINDERS: readonly ((project: Project) => Found)[] = [
  packageScripts,
  cmakeTools,
  makeTargets,
  taskTargets,
  sessionTools,
  nodeTools,
  goTools,
  rustTools,
  pythonTools,
  rubyTools,
  phpTools,
  jvmTools,
  nativeTools,
]
