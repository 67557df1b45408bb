/** Protected paths: files that decide how work is judged. A change that touches one is marked and needs a person. */
import { DEFINITION_FOLDERS } from '../tools/agent-files.ts'
import { posix } from 'node:path'
import picomatch from 'picomatch'
import type { ProjectConfig } from '../domain/config.ts'
import { servicesNamed } from '../domain/service.ts'
import { resolveCommand } from './command.ts'
import { entriesOf, filesRunBy, PACKAGE_PARTS } from './configured-files.ts'
import { isLockFile, swapped, TOOLS } from './lock-file.ts'
import type { Trusted } from './script-file.ts'
import { resolveServices } from './services.ts'

/** Configuration of test runners, linters, type checkers and of what starts them. */
const CONFIGURATION = [
  '**/{vitest,vite,jest,playwright,cypress,babel,ava,karma,wdio}.{config,workspace,projects,conf}.*',
  '**/{.mocharc*,.babelrc*,.swcrc,.taprc,.npmrc,.yarnrc*,.pnpmfile.cjs,bunfig.toml,deno.json,deno.jsonc}',
  '**/{tsconfig*.json,jsconfig.json}',
  '**/{.eslintrc*,.eslintignore,eslint.config.*,.oxlintrc.json,biome.json,biome.jsonc,.prettierrc*,.prettierignore,prettier.config.*}',
  '**/{pytest.ini,.pytest.ini,pytest.toml,.pytest.toml,tox.ini,noxfile.py,setup.cfg,conftest.py}',
  '**/{mypy.ini,.mypy.ini,.flake8,.pylintrc,ruff.toml,.ruff.toml,pyrightconfig.json}',
  '**/{.golangci.*,clippy.toml,.clippy.toml,.rspec,phpunit.xml*,phpunit.dist.xml,.rubocop.yml,phpstan.neon*}',
  '**/{jasmine,spec/support/jasmine*}.{json,js,mjs,cjs}',
  '**/.config/nextest.toml',
  '**/.cargo/config*',
]

const ALWAYS = [
  // A project may lie below the top of its repository.
  '**/{muster.yaml,muster.rules.json,test-activity-rules.json}',
  ...DEFINITION_FOLDERS.map((folder) => `**/${folder}/**`),
  ...CONFIGURATION,
  '**/{vitest,jest}.setup.*',
  '**/{setupTests,setup-tests,test-setup,global-setup,globalSetup}.*',
  // Found before what is installed, and instead of it.
  '**/node_modules/**',
  '**/{pytest,_pytest,pluggy,unittest,sitecustomize,usercustomize}.py',
  '**/{pytest,_pytest,pluggy,unittest}/__init__.py',
  '**/{.pnp.*js,.yarn/releases/**,.yarn/plugins/**,.yarn/patches/**,patches/**.patch}',
]

/** Packages of a lock file that are named. */
const namesShownMax = 5

export interface Judging {
  /** In script position of the commands that judge, or named by what is. */
  files: Set<string>
  /** Package scripts that judge, as `<package.json> <name>`. */
  scripts: Set<string>
  /** Any package script may. */
  loose: boolean
  /** Globs that the project lists. */
  listed: readonly string[]
}

/** The scripts of commands that judge: they are the user's for this work, and would be the author's for the next. */
export async function judgesFiles(
  config: Pick<ProjectConfig, 'agents' | 'services'>,
  trusted: Trusted,
): Promise<string[]> {
  const files: string[] = []
  for (const agent of Object.values(config.agents)) {
    if (agent.does !== 'judge') continue
    if (agent.runtime === 'command') files.push(...(await resolveCommand(agent.run, '', trusted, true)).files)
    const { commands } = await resolveServices(servicesNamed(config, agent.services), trusted)
    files.push(...commands.flatMap((command) => command.files))
  }
  return files
}

/** Of the changed files, those that decide how work is judged; a lock file with the packages that do. `now`: a file as the change has it. */
export async function protectedPaths(
  trusted: Pick<Trusted, 'read' | 'files'>,
  now: (path: string) => Promise<string | null>,
  changed: readonly string[],
  judging: Judging,
): Promise<string[]> {
  if (changed.length === 0) return []
  const globs = picomatch([...ALWAYS, ...judging.listed], { dot: true, flags: 's' })
  const differs = async (path: string, part: (text: string) => string): Promise<boolean> =>
    part((await trusted.read(path)) ?? '') !== part((await now(path)) ?? '')
  const named = new Set(judging.files)
  for (const path of changed) {
    const name = posix.basename(path)
    const judges = name === 'package.json' ? packageParts(path, judging) : name === 'pyproject.toml' ? toolsIn : null
    if (judges !== null && (await differs(path, judges))) named.add(path)
  }
  const found = new Set(changed.filter((path) => globs(path) || named.has(path)))
  const rest = changed.filter((path) => !found.has(path))
  for (const path of await runByConfiguration(rest, trusted)) found.add(path)
  const told = await Promise.all(
    changed.map(async (path) => {
      if (!isLockFile(path)) return found.has(path) ? path : []
      const [was, is] = [await trusted.read(path), await now(path)]
      // It changed, and is too large to be looked into, or no text.
      const packages = was === null && is === null ? ['it cannot be read'] : swapped(path, was ?? '', is ?? '')
      return packages.length > 0 ? `${path} (${firstOf(packages)})` : found.has(path) ? path : []
    }),
  )
  return told.flat()
}

function firstOf(names: readonly string[]): string {
  const more = names.length - namesShownMax
  return names.slice(0, namesShownMax).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** What the configuration of a runner has run, but not what the package itself is: that is judged. */
async function runByConfiguration(
  changed: readonly string[],
  { read, files }: Pick<Trusted, 'read' | 'files'>,
): Promise<string[]> {
  if (changed.length === 0) return []
  const isConfiguration = picomatch([...CONFIGURATION, '**/package.json'], { dot: true, flags: 's' })
  const [run, entries] = [new Set<string>(), new Set<string>()]
  for (const config of (await files()).filter((path) => isConfiguration(path)).slice(0, 50)) {
    const text = (await read(config)) ?? ''
    for (const name of filesRunBy(config, text)) run.add(name)
    if (posix.basename(config) === 'package.json') for (const name of entriesOf(config, text)) entries.add(name)
  }
  return changed.filter((path) => !entries.has(path) && (run.has(path) || run.has(path.replace(/\.[^./]+$/, ''))))
}

const packageParts =
  (path: string, { scripts, loose }: Judging) =>
  (text: string): string => {
    try {
      const all = JSON.parse(text) as Record<string, unknown>
      const part = (key: string, wanted: (name: string) => boolean): [string, unknown][] =>
        Object.entries((all[key] ?? {}) as Record<string, unknown>).filter(([name]) => wanted(name))
      const judges = (name: string): boolean => loose || scripts.has(`${path} ${name}`)
      const tools = ['dependencies', 'devDependencies'].map((key) => part(key, (name) => TOOLS.test(name)))
      return JSON.stringify([part('scripts', judges), tools, ...PACKAGE_PARTS.map((key) => all[key])])
    } catch {
      return text
    }
  }

/** The [tool.*] tables: what configures tests, types and lint. */
function toolsIn(text: string): string {
  return text
    .split(/^(?=\[)/m)
    .filter((part) => part.startsWith('[tool.'))
    .join('')
}
