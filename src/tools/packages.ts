/** How a project's npm packages are installed, and its scripts run: by its package.json and lock files. */

interface PackageJson {
  name: string | null
  /** Names of all packages that it needs, for whatever. */
  uses: readonly string[]
  scripts: Readonly<Record<string, unknown>>
  dependencies: Readonly<Record<string, unknown>>
  /** Folders of further packages, as globs. */
  workspaces: readonly string[]
  /** `name@version`, as the project asks for it. */
  manager: string | null
}

/** A text of the project by its path from the root; null when there is none. */
export type ReadText = (path: string) => string | null

/** A manifest that is no JSON offers nothing; the project's own tools will say so. */
export function jsonOf(read: ReadText, path: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(read(path) ?? 'null')
    return isMap(value) ? value : {}
  } catch {
    return {}
  }
}

export function packageOf(read: ReadText, path = 'package.json'): PackageJson {
  const all = jsonOf(read, path)
  const part = (key: string): Record<string, unknown> => (isMap(all[key]) ? all[key] : {})
  const { workspaces, packageManager } = all
  const listed = isMap(workspaces) ? workspaces['packages'] : workspaces
  return {
    name: typeof all['name'] === 'string' ? all['name'] : null,
    uses: ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'].flatMap((key) =>
      Object.keys(part(key)),
    ),
    scripts: part('scripts'),
    dependencies: { ...part('dependencies'), ...part('devDependencies') },
    workspaces: Array.isArray(listed) ? listed.filter((glob) => typeof glob === 'string') : [],
    manager: typeof packageManager === 'string' ? packageManager : null,
  }
}

/** A glob with more stars could take for ever. */
const starsMax = 3

/** The folders with such a manifest that globs of a workspace name; a glob behind `!` takes them out again. */
export function foldersLike(globs: readonly string[], files: readonly string[], manifest: string): string[] {
  const rules = globs
    .filter((glob) => (glob.match(/\*+/g) ?? []).length <= starsMax)
    .map((glob) => {
      const plain = glob.replace(/^!?(?:\.\/)?/, '').replace(/\/+$/, '')
      const pattern = plain
        .replace(/[.+^${}()|[\]\\]/g, '\\$&')
        .replace(/\*+|\?/g, (star) => (star === '?' ? '[^/]' : star === '*' ? '[^/]*' : '.*'))
      return { takes: !glob.startsWith('!'), fits: new RegExp(`^${pattern}$`) }
    })
  const folders = files.flatMap((file) => (file.endsWith(`/${manifest}`) ? [file.slice(0, -manifest.length - 1)] : []))
  return folders.filter((folder) => rules.findLast(({ fits }) => fits.test(folder))?.takes === true).toSorted()
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

type ManagerName = 'npm' | 'pnpm' | 'yarn' | 'bun'

export const isManager = (program: string): boolean => /^(?:npm|pnpm|yarn|bun)$/.test(program)

interface Manager {
  name: ManagerName
  run: { script: string; test: string }
  /** Runs a program of an installed package. */
  exec: string
  /** The lock files of other managers that lie there too. */
  ignored: readonly string[]
}

const LOCKS: readonly (readonly [string, ManagerName])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
]

export const LOCK_NAMES: readonly string[] = LOCKS.map(([file]) => file)

/** Scripts are resolved without their manager (command.ts), and npx finds what any of them installed: it need not be there. */
const RUNS: Readonly<Record<ManagerName, Pick<Manager, 'run' | 'exec'>>> = {
  npm: { run: { script: 'npm run', test: 'npm test' }, exec: 'npx' },
  pnpm: { run: { script: 'pnpm run', test: 'pnpm test' }, exec: 'npx' },
  yarn: { run: { script: 'yarn run', test: 'yarn test' }, exec: 'npx' },
  // `bun test` is Bun's own test runner, not the script.
  bun: { run: { script: 'bun run', test: 'bun run test' }, exec: 'bun x' },
}

/** What the project asks for, then whose lock file lies there; of several, the first of the list. */
export function managerOf(names: ReadonlySet<string>, read: ReadText): Manager {
  const locks = LOCKS.filter(([file]) => names.has(file))
  const asked = /^(npm|pnpm|yarn|bun)@/.exec(packageOf(read).manager ?? '')?.[1] as ManagerName | undefined
  const name = asked ?? locks[0]?.[1] ?? 'npm'
  const ignored = locks.flatMap(([file, owner]) => (owner === name ? [] : [file]))
  // With Yarn's Plug'n'Play there is no folder of programs.
  const exec = name === 'yarn' && names.has('.pnp.cjs') ? 'yarn' : RUNS[name].exec
  return { name, ...RUNS[name], exec, ignored }
}
