/**
 * What a repository's files say about it: its setup, its checks, and notes about both. Reads only the names and texts
 * that it is given; runs nothing.
 */
import { factsOf } from '../tools/facts.ts'
import { type Hints, isInCi, type Tool } from '../tools/tool-finder.ts'
import { TOOLS } from '../domain/tool.ts'
import { howToGet } from '../tools/get-tool.ts'
import { lockNotes } from '../tools/lock-version.ts'
import { managerOf, type ReadText } from '../tools/packages.ts'
import { type Has, type Setup, setupsOf } from '../tools/setup.ts'
import { programOf } from '../tools/words.ts'
import { ciHint } from './ci.ts'
import {
  folderSetups,
  type PackageCheck,
  packageChecks,
  packageChecksMax,
  type Packages,
  packagesOf,
} from './workspaces.ts'

/** Where a check runs, and which changes concern it; null: all. */
export interface Place {
  cwd: string
  paths: readonly string[] | null
}

interface Found {
  /** Null: nothing has to be installed. */
  setup: string | null
  /** Programs that it takes. */
  needs: string[]
  checks: Record<string, string>
  /** Of checks that do not run at the top for every change, by name. */
  places: Record<string, Place>
  notes: string[]
}

/** Programs of which a project may have one or the other. */
export const CHOICES = ['make', 'just', 'task', 'tox', 'nox']

const namesShownMax = 5

/** `has` of the programs above and of package managers: whether they are on this machine. */
export function detectProject(files: readonly string[], read: ReadText, has: Has): Found {
  const ci = ciHint(files, read)
  const hints: Hints = { has, ci: ci.signs }
  const { tools } = factsOf(files, read, {}, [], hints)
  const setups = setupsOf(files, read, has)
  const checks: Record<string, string> = {}
  for (const name of TOOLS) if (name !== 'e2e' && tools[name] !== undefined) checks[name] = tools[name].command
  const packages = packagesOf(files, read)
  const found: Found = {
    setup: null,
    needs: [],
    checks,
    places: {},
    notes: [...ci.notes, ...packages.notes, ...choices(tools, factsOf(files, read).tools, hints)],
  }
  const whole = tools['unit-test']
  // What is found by a look alone would be run at the top, where nothing says that it can.
  const isWhole = whole !== undefined && (whole.own === true || (packages.top && !packages.shared))
  if (!isWhole) addPackages(found, packages, packageChecks(packages, files, read, hints), setups)
  const checked = Object.values(found.places).map(({ cwd }) => cwd)
  setups.push(...folderSetups({ ...packages, folders: checked }, files, read, has))
  const { name, ignored } = managerOf(new Set(files), read)
  if (ignored.length > 0) found.notes.push(`${ignored.join(' and ')} is there too; Muster uses ${name}`)
  found.notes.push(...lockNotes(files, read), ...downloaded(setups))
  found.setup = setups.map(({ command }) => command).join(' && ') || null
  found.needs = setups.map(({ program }) => program)
  return found
}

/** Managers that setup downloads because they are not here. */
function downloaded(setups: readonly Setup[]): string[] {
  const names = new Set(setups.flatMap(({ downloads }) => downloads ?? []))
  return [...names].map((name) => {
    const how = howToGet(name)
    return `${name} is not on this machine: setup runs it with npx, which downloads it${how === null ? '' : `. To install it: ${how}`}`
  })
}

/** The tests of each package; of many packages in one check. */
function addPackages(
  found: Found,
  { folders, shared }: Packages,
  each: readonly PackageCheck[],
  setups: readonly Setup[],
): void {
  const { checks, places, notes } = found
  if (each.length === 0) return
  if (shared && each.length > packageChecksMax) {
    const pnpm = setups.find(({ manager }) => manager !== undefined)?.manager ?? 'npm'
    checks['unit-test'] = /pnpm/.test(pnpm) ? `${pnpm} -r test` : 'npm test --workspaces --if-present'
    notes.push(
      `${each.length} packages have tests: one check runs them all. To run a package's tests only when it changes, give it a check with paths (muster help checks)`,
    )
    return
  }
  delete checks['unit-test']
  const [only] = each
  if (folders.length === 1 && only !== undefined) {
    checks['unit-test'] = only.run
    places['unit-test'] = { cwd: only.cwd, paths: null }
    return
  }
  for (const { name, run, cwd, paths } of each.slice(0, packageChecksMax)) {
    checks[name] = run
    places[name] = { cwd, paths }
  }
  notes.push(
    'each package with tests has its own check. It runs for changes in that package, in packages that it uses, and outside of all packages',
  )
  const left = each.slice(packageChecksMax).map(({ cwd }) => cwd)
  if (left.length > 0) notes.push(`no check runs the tests of ${some(left)}: add checks for them, like the others`)
  const without = folders.filter((folder) => !each.some(({ cwd }) => cwd === folder))
  if (without.length > 0) notes.push(`no test script in ${some(without)}`)
}

function some(names: readonly string[]): string {
  const more = names.length - namesShownMax
  return names.slice(0, namesShownMax).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** Where a hint led to another command than the first, and why. */
function choices(
  tools: Readonly<Partial<Record<string, Tool>>>,
  first: Readonly<Partial<Record<string, Tool>>>,
  hints: Hints,
): string[] {
  return TOOLS.flatMap((name) => {
    const [taken, before] = [tools[name]?.command, first[name]?.command]
    if (taken === undefined || taken === before || name === 'e2e') return []
    const program = programOf(before ?? '')
    const instead = before === undefined ? 'Muster uses it' : `Muster uses it instead of ${before}`
    if (isInCi(taken, hints)) return [`CI runs ${taken}: ${instead}`]
    if (!CHOICES.includes(program) || hints.has(program)) return [`${taken} installs what it needs: ${instead}`]
    const how = howToGet(program)
    return [
      `${program} is not on this machine${how === null ? '' : ` (${how})`}: Muster uses ${taken} instead of ${before}`,
    ]
  })
}

/** Texts that name files which tests read. */
const READERS =
  /(?:^|\/)(?:(?:tests?|spec|__tests__)\/.*|[^/]*[._-](?:test|spec)\.\w+|test_[^/]*\.py|conftest\.py|(?:vitest|jest|playwright)[^/]*\.\w+|config\.\w+)$/
const SETTINGS = /\.(?:json5?|ya?ml|toml|ini|cfg|conf|properties|env)$|[._-]local\.\w+$/
const readersMax = 300

/**
 * Of the files that git ignores, settings that tests may need and no checkout has: environments, and what tests name.
 * Their values stay where they are.
 */
export function copyCandidates(
  ignored: readonly string[],
  files: readonly string[] = [],
  read: ReadText = () => null,
): string[] {
  const packages = new Set(packagesOf(files, read).folders)
  const plain = ignored.filter((path) => /^[\w./@+-]+$/.test(path))
  const isEnv = (path: string): boolean => {
    const [, folder = '', name = ''] = /^(?:(.*)\/)?([^/]+)$/.exec(path) ?? []
    return /^\.env(?:\.(?:test|local|development)(?:\.local)?)?$/.test(name) && (folder === '' || packages.has(folder))
  }
  const settings = plain.filter((path) => SETTINGS.test(path) && !isEnv(path)).slice(0, 100)
  const readers = settings.length === 0 ? [] : files.filter((path) => READERS.test(path)).slice(0, readersMax)
  const texts = readers.map((path) => read(path) ?? '')
  const isRead = (path: string): boolean => texts.some((text) => text.includes(path.replace(/^.*\//, '')))
  return [...plain.filter(isEnv), ...settings.filter(isRead)].toSorted()
}
