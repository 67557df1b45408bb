/**
 * The command that makes a clean checkout ready for its checks, from the project's files. A setup's outputs are moved
 * to other folders later, so no command here may write absolute paths into them: a package of the project itself is
 * never installed in place.
 */
import { jsonOf, foldersLike, managerOf, packageOf, type ReadText } from './packages.ts'

export interface Setup {
  command: string
  /** Where that is known from, for people. */
  from: string
  /** The program that it needs first. */
  program: string
  /** How the package manager is started, where it is one of npm's kind. */
  manager?: string
  /** A package manager that is not on this machine: the command downloads it. */
  downloads?: string
}

/** Whether a program is on this machine. */
export type Has = (program: string) => boolean

/** One for each kind of package that the project has; none where nothing is to be installed. */
export function setupsOf(files: readonly string[], read: ReadText, has: Has = () => true): Setup[] {
  const names = new Set(files.filter((file) => !file.includes('/')))
  const found = [nodeSetup, pythonSetup, goSetup, rustSetup, rubySetup, phpSetup, mavenSetup].map((find) =>
    find(names, read, has),
  )
  return found.filter((setup) => setup !== null)
}

type Find = (names: ReadonlySet<string>, read: ReadText, has: Has) => Setup | null

const nodeSetup: Find = (names, read, has) => {
  if (!names.has('package.json')) return null
  const { dependencies, workspaces, manager: asked } = packageOf(read)
  const { name } = managerOf(names, read)
  const lock = LOCK_OF[name].find((file) => names.has(file))
  const isWorkspace = names.has('pnpm-workspace.yaml') || workspaces.length > 0
  if (lock === undefined && Object.keys(dependencies).length === 0 && !isWorkspace) return null
  const from = lock ?? (asked === null ? 'package.json' : 'packageManager of package.json')
  if (name === 'npm') {
    const command = lock === undefined ? 'npm install --no-package-lock --no-audit --no-fund' : 'npm ci'
    return { command, from, program: 'npm', manager: 'npm' }
  }
  const version = new RegExp(`^${name}@([\\w.-]+)`).exec(asked ?? '')?.[1] ?? null
  const way = name === 'yarn' ? yarnWay(version, names, read) : plainWay(name, version, read)
  const setup = (program: string, rest = ''): Setup => {
    const manager = `${way.settings}${program}${rest}`
    return { command: `${manager} install${lock === undefined ? '' : ` ${way.frozen}`}`, from, program, manager }
  }
  if (way.carried !== null) return setup('node', ` ${way.carried}`)
  return has(name) ? setup(name) : { ...setup('npx', ` --yes ${way.download}`), downloads: name }
}

/** How a package manager other than npm is used. */
interface Way {
  /** Variables in front of it. */
  settings: string
  /** Keeps it from changing its lock file. */
  frozen: string
  /** The copy of it that the project carries. */
  carried: string | null
  /** The package that npx gets it from. */
  download: string
}

function plainWay(name: 'pnpm' | 'bun', version: string | null, read: ReadText): Way {
  const wanted = version ?? (name === 'pnpm' ? pnpmVersion(read('pnpm-lock.yaml') ?? '') : '')
  const download = wanted === '' ? name : `${name}@${wanted}`
  return { settings: '', frozen: '--frozen-lockfile', carried: null, download }
}

/** The first Yarn, and those since the second, are two programs. */
function yarnWay(version: string | null, names: ReadonlySet<string>, read: ReadText): Way {
  const isSecond =
    names.has('.yarnrc.yml') || /^__metadata:/m.test(read('yarn.lock') ?? '') || /^[2-9]/.test(version ?? '')
  if (!isSecond) return { settings: '', frozen: '--frozen-lockfile', carried: null, download: `yarn@${version ?? '1'}` }
  const written = read('.yarnrc.yml') ?? ''
  // Scripts are run without their manager, so installing is all that it is needed for, and a folder of packages is what
  // they find without it. Yarn makes none unless it is told to.
  const makesFolder = /^nodeLinker:\s*["']?(?:node-modules|pnpm)\b/m.test(written)
  return {
    settings: makesFolder ? '' : 'YARN_NODE_LINKER=node-modules ',
    frozen: '--immutable',
    carried: /^yarnPath:\s*["']?([\w./-]+)/m.exec(written)?.[1] ?? null,
    download: version === null ? '@yarnpkg/cli-dist' : `@yarnpkg/cli-dist@${version}`,
  }
}

const LOCK_OF = {
  npm: ['package-lock.json', 'npm-shrinkwrap.json'],
  pnpm: ['pnpm-lock.yaml'],
  yarn: ['yarn.lock'],
  bun: ['bun.lock', 'bun.lockb'],
} as const

/** A pnpm that reads a lock file of this version, and settings of its time. */
function pnpmVersion(lock: string): string {
  const version = /^lockfileVersion:\s*['"]?(\d+)/m.exec(lock)?.[1] ?? ''
  return { '5': '7', '6': '8', '9': '10' }[version] ?? ''
}

/** Where the packages of a Python project go: beside it, found by the commands that name it. */
export const VENV_PYTHON = '.venv/bin/python'

const pythonSetup: Find = (names, read) => {
  if (names.has('uv.lock')) {
    const all = UV_WORKSPACE.test(read('pyproject.toml') ?? '') ? ' --all-packages' : ''
    return { command: `uv sync --frozen --no-editable${all}`, from: 'uv.lock', program: 'uv' }
  }
  if (names.has('poetry.lock')) {
    const command = 'POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-root --no-interaction'
    return { command, from: 'poetry.lock', program: 'poetry' }
  }
  const lists = [...names].filter((name) =>
    /^(?:requirements(?:[-_.](?:dev|tests?|testing))?|(?:dev|tests?)-requirements)\.txt$/.test(name),
  )
  const listed = lists.filter((name) => /^\s*[\w-]/m.test(read(name) ?? '')).toSorted()
  const own = ownRequirements(read)
  if (listed.length === 0 && own === null) return null
  const words = [
    ...listed.map((name) => `-r ${name}`),
    ...(own === null ? [] : [own]),
    ...(usesPytest(read) ? ['pytest'] : []),
  ]
  return {
    command: `python3 -m venv .venv && ${VENV_PYTHON} -m pip install --quiet ${words.join(' ')}`,
    from: [...listed, ...(own === null ? [] : ['pyproject.toml'])].join(', '),
    program: 'python3',
  }
}

const UV_WORKSPACE = /^\[tool\.uv\.workspace\]/m

/** The folders of the packages of a uv workspace, beside the root. */
export function uvMembers(files: readonly string[], read: ReadText): string[] {
  const text = section(read('pyproject.toml') ?? '', 'tool.uv.workspace')
  const listOf = (key: string) =>
    [...(new RegExp(`^${key}\\s*=\\s*\\[([^\\]]*)\\]`, 'm').exec(text)?.[1] ?? '').matchAll(/["']([^"']+)["']/g)].map(
      ([, glob = '']) => glob,
    )
  return foldersLike([...listOf('members'), ...listOf('exclude').map((glob) => `!${glob}`)], files, 'pyproject.toml')
}

/** The folders of packages of its own that a Poetry project depends on: it installs them by their whole path. */
export function poetryMembers(files: readonly string[], read: ReadText): string[] {
  const text = files.includes('poetry.lock') ? (read('pyproject.toml') ?? '') : ''
  const paths = text.matchAll(/^[\w.-]+\s*=\s*\{[^}\n]*\bpath\s*=\s*["']([\w./-]+)["']/gm)
  return foldersLike(
    [...paths].map(([, path = '']) => path),
    files,
    'pyproject.toml',
  )
}

/** The project as a package, for what it depends on; null where it depends on nothing. */
function ownRequirements(read: ReadText): string | null {
  const text = read('pyproject.toml') ?? ''
  const extra = ['test', 'tests', 'testing', 'dev'].find((name) =>
    new RegExp(`^${name}\\s*=\\s*\\[`, 'm').test(section(text, 'project.optional-dependencies')),
  )
  const depends = /^dependencies\s*=\s*\[\s*(?:#.*\n\s*)*["']/m.test(section(text, 'project'))
  const installs =
    depends ||
    extra !== undefined ||
    /^[ \t]*install_requires[ \t]*=[ \t]*(?:\S|\n[ \t]+\w)/m.test(read('setup.cfg') ?? '')
  return installs ? (extra === undefined ? '.' : `'.[${extra}]'`) : null
}

function section(toml: string, name: string): string {
  return toml.split(/^(?=\[)/m).find((part) => part.startsWith(`[${name}]`)) ?? ''
}

/** Whether the project's own words mention pytest. */
export function usesPytest(read: ReadText): boolean {
  return ['pyproject.toml', 'setup.cfg', 'tox.ini', 'pytest.ini', 'noxfile.py', 'requirements-dev.txt'].some((name) =>
    /pytest/.test(read(name) ?? ''),
  )
}

/** Downloaded beside the project, where no judged code can change it; the checks look there. */
export const GO_CACHE = 'GOMODCACHE="$PWD/.gomodcache" GOFLAGS=-modcacherw'
export const CARGO_CACHE = 'CARGO_HOME="$PWD/.cargo-home"'

const goSetup: Find = (names, read) => {
  const sums = [...goModules(names, read).map((folder) => `${folder}/go.sum`.replace('./', '')), 'go.work.sum']
  const from = sums.find((sum) => (read(sum) ?? '').trim() !== '')
  return from === undefined ? null : { command: `${GO_CACHE} go mod download`, from, program: 'go' }
}

/** The folders of a Go project's modules, as go names them: one, or those of its workspace. */
export function goModules(names: ReadonlySet<string>, read: ReadText): string[] {
  if (!names.has('go.work')) return names.has('go.mod') ? ['.'] : []
  const uses = (read('go.work') ?? '').matchAll(/^use\s+(?:\(([^)]*)\)|(\S+))/gm)
  const listed = [...uses].flatMap(([, block, one]) => (block ?? one ?? '').replace(/\/\/.*$/gm, '').split(/\s+/))
  return listed.flatMap((folder) => (/^\.(?:\/[\w./-]+)?$/.test(folder) && !folder.includes('..') ? [folder] : []))
}

const rustSetup: Find = (names, read) => {
  const external = /^source\s*=/m.test(read('Cargo.lock') ?? '')
  return names.has('Cargo.toml') && external
    ? { command: `${CARGO_CACHE} cargo fetch --locked`, from: 'Cargo.lock', program: 'cargo' }
    : null
}

const rubySetup: Find = (_, read) => {
  const gems = /^\s*(?:gem|gemspec)\b/m.test(read('Gemfile') ?? '')
  return gems ? { command: 'BUNDLE_PATH=vendor/bundle bundle install', from: 'Gemfile', program: 'bundle' } : null
}

const phpSetup: Find = (_, read) => {
  const { require, 'require-dev': dev } = jsonOf(read, 'composer.json')
  // What has no vendor is PHP itself or a part of it.
  const needs = [require, dev].some((some) => Object.keys(Object(some)).some((name) => name.includes('/')))
  return needs
    ? { command: 'composer install --no-interaction --no-progress', from: 'composer.json', program: 'composer' }
    : null
}

/** Maven's packages, likewise. */
export const MAVEN = 'mvn -q -B -Dmaven.repo.local=.m2'

const mavenSetup: Find = (_, read) =>
  /<dependency>/.test(read('pom.xml') ?? '')
    ? { command: `${MAVEN} dependency:go-offline`, from: 'pom.xml', program: 'mvn' }
    : null
