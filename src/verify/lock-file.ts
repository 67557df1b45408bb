/**
 * What of a lock file decides which runner runs: the packages of test runners, type checkers and linters, and all that
 * they depend on. A change of those swaps what judges without a line of code; any other change is the author's own. Pure.
 */

const LOCK_FILE =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lock|uv\.lock|poetry\.lock|pdm\.lock|Pipfile\.lock|requirements[^/]*\.txt)$/

export const TOOLS =
  /^(?:vitest|@vitest\/.*|jest|@jest\/.*|mocha|ava|tap|c8|nyc|tsx|ts-node|ts-jest|typescript|eslint|oxlint|@biomejs\/biome|prettier|@playwright\/test|playwright|cypress|jasmine|karma|pytest|pytest-.*|pluggy|tox|nox|coverage|hypothesis|mypy|pyright|ruff|flake8|pylint|black)$/

export const isLockFile = (path: string): boolean => LOCK_FILE.test(path)

/** One resolution of a package: how it is resolved, and words among which its dependencies are. */
interface Entry {
  name: string
  text: string
  uses: readonly string[]
}

/** Packages that judge, or that those use, and that resolve differently. One that nobody can read differs as a whole. */
export function swapped(path: string, before: string, after: string): string[] {
  try {
    const [was, is] = [before, after].map((text) => judging(entriesOf(path, text)))
    const names = new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])])
    return [...names].filter((name) => was?.get(name) !== is?.get(name)).sort()
  } catch {
    return ['it cannot be read']
  }
}

/** By name, how the packages of the tools and what they use are resolved. */
function judging(entries: readonly Entry[]): Map<string, string> {
  const byName = Map.groupBy(entries, ({ name }) => name)
  const found = new Map<string, string>()
  const names = new Set([...byName.keys()].filter((name) => TOOLS.test(name)))
  // A set is gone through with what is added to it on the way.
  for (const name of names) {
    const of = byName.get(name) ?? []
    const texts = of.map(({ text }) => text).sort()
    found.set(name, texts.join('\n'))
    for (const used of of.flatMap(({ uses }) => uses)) if (byName.has(used)) names.add(used)
  }
  return found
}

function entriesOf(path: string, text: string): Entry[] {
  if (text.trim() === '') return []
  if (/(?:package-lock|npm-shrinkwrap)\.json$/.test(path)) return npmEntries(JSON.parse(text) as NpmLock)
  if (path.endsWith('Pipfile.lock')) return pipEntries(JSON.parse(text) as Record<string, Record<string, object>>)
  if (path.endsWith('.txt')) return text.split('\n').flatMap(requirement)
  return [...text.split(/\n\s*\n/).flatMap(blockEntries), ...pnpmImports(text)]
}

interface NpmPackage {
  version?: string
  resolved?: string
  integrity?: string
  link?: boolean
  dependencies?: Record<string, NpmPackage | string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  requires?: Record<string, string> | boolean
}
type NpmLock = NpmPackage & { packages?: Record<string, NpmPackage> }

function npmEntries({ packages, dependencies = {} }: NpmLock): Entry[] {
  if (packages !== undefined) {
    return Object.entries(packages).flatMap(([place, of]) => {
      const name = place.split('node_modules/').at(-1) ?? ''
      return name === '' ? [] : [npmEntry(place, name, of)]
    })
  }
  // The first format has them inside one another.
  return Object.entries(dependencies).flatMap(([name, of]) =>
    typeof of === 'string' ? [] : [npmEntry(name, name, of), ...npmEntries({ dependencies: of.dependencies ?? {} })],
  )
}

function npmEntry(place: string, name: string, of: NpmPackage): Entry {
  const { version, resolved, integrity, link, requires } = of
  const uses = [of.dependencies, of.optionalDependencies, of.peerDependencies, requires]
  return {
    name,
    text: JSON.stringify([place, version, resolved, integrity, link]),
    uses: uses.flatMap((list) => (typeof list === 'object' ? Object.keys(list) : [])),
  }
}

function pipEntries(lock: Record<string, Record<string, object>>): Entry[] {
  return ['default', 'develop'].flatMap((part) =>
    Object.entries(lock[part] ?? {}).map(([name, of]) => ({ name, text: JSON.stringify(of), uses: [] })),
  )
}

function requirement(line: string): Entry[] {
  const [, name] = /^([\w.-]+)\s*(?:\[[^\]]*\])?\s*(?:[=<>~!]=|@)/.exec(line.trim()) ?? []
  return name === undefined ? [] : [{ name: name.toLowerCase(), text: line.trim(), uses: [] }]
}

/** A paragraph about one package: `name = "pytest"` in TOML, `"vitest@^3":` or `/vitest@3.0.0:` in YAML and its like. */
function blockEntries(block: string): Entry[] {
  const [, toml] = /^name = "([^"]+)"/m.exec(block) ?? []
  const heads = toml === undefined ? namesIn(block.trimStart().split('\n')[0] ?? '') : [toml]
  const uses = [...block.matchAll(/[@\w][@\w./-]*/g)].map(([word]) => nameOf(word))
  return heads.map((name) => ({ name, text: block.trim(), uses }))
}

/** `"a@^1", a@^2:` names a twice. */
function namesIn(head: string): string[] {
  if (!/[:[]\s*(?:\{.*)?$/.test(head) && !head.includes('": [')) return []
  return [...new Set(head.split(',').flatMap((part) => nameOf(part.trim().replace(/^["'/]+/, '')) || []))]
}

/** Of `@scope/name@1.2` and of `name/1.2`; '' for what has no version, unless it is a bare name. */
function nameOf(word: string): string {
  return /^(@[^/@\s]+\/[^/@\s"':]+|[^@/\s"':]+)/.exec(word)?.[1] ?? ''
}

/** Which of several versions the project itself uses stands elsewhere than the packages. */
function pnpmImports(text: string): Entry[] {
  const found = text.matchAll(/^\s{4,}(["']?)([@\w][^\s"':]*)\1:\n\s+specifier: (.*)\n\s+version: (.*)$/gm)
  return [...found].map(([, , name = '', ...resolved]) => ({ name, text: `imported ${resolved.join(' ')}`, uses: [] }))
}
