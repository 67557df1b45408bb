/**
 * The part of a lock file that decides which runner runs: the packages of test runners, type checkers and linters, and
 * everything they depend on. A change there replaces what judges without a line of code; any other change is the
 * author's choice. Pure.
 */

const LOCK_FILE =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lock|uv\.lock|poetry\.lock|pdm\.lock|Pipfile\.lock|requirements[^/]*\.txt)$/

export const TOOLS =
  /^(?:vitest|@vitest\/.*|jest|@jest\/.*|mocha|ts-mocha|ava|tap|borp|bun|deno|c8|nyc|tsx|ts-node|ts-jest|typescript|eslint|oxlint|@biomejs\/biome|prettier|@playwright\/test|playwright|cypress|jasmine|karma|uvu|tape|qunit|@web\/test-runner|jest-cli|babel-jest|@swc\/jest|vue-tsc|typescript-eslint|jsdom|happy-dom|stylelint|nose2|basedpyright|pytest|pytest-.*|pluggy|tox|nox|coverage|hypothesis|mypy|pyright|ruff|flake8|pylint|black)$/

export const isLockFile = (path: string): boolean => LOCK_FILE.test(path)

/** One resolution of a package: how it is resolved, and words among which its dependencies are. */
interface Entry {
  name: string
  /** What `uses` of others call it: its name, or where npm puts it. */
  id?: string
  text: string
  uses: readonly string[]
}

/** Packages that judge, or that those use, and that resolve differently. One that nobody can read differs as a whole. */
export function swapped(path: string, before: string, after: string): string[] {
  try {
    const [was, is] = [before, after].map((text) => judging(entriesOf(path, text)))
    const ids = new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])])
    const other = [...ids].filter((id) => was?.get(id) !== is?.get(id))
    return [...new Set(other.map((id) => id.split('node_modules/').at(-1) ?? id))].sort()
  } catch {
    return ['it cannot be read']
  }
}

/** By id, how the packages of the tools and what they use are resolved. */
function judging(entries: readonly Entry[]): Map<string, string> {
  const byId = Map.groupBy(entries, ({ id, name }) => id ?? name)
  const found = new Map<string, string>()
  const judges = entries.filter(({ name }) => name === ANY || TOOLS.test(name))
  const ids = new Set(judges.map(({ id, name }) => id ?? name))
  // A set is gone through with what is added to it on the way.
  for (const id of ids) {
    const of = byId.get(id) ?? []
    const texts = of.map(({ text }) => text).sort()
    found.set(id, texts.join('\n'))
    for (const used of of.flatMap(({ uses }) => uses)) if (byId.has(used)) ids.add(used)
  }
  return found
}

function entriesOf(path: string, whole: string): Entry[] {
  const text = whole.replaceAll('\r\n', '\n')
  if (text.trim() === '') return []
  if (/(?:package-lock|npm-shrinkwrap)\.json$/.test(path)) return npmEntries(JSON.parse(text) as NpmLock)
  if (path.endsWith('Pipfile.lock')) return pipEntries(JSON.parse(text) as Record<string, Record<string, object>>)
  if (path.endsWith('bun.lock')) return bunEntries(JSON.parse(text.replaceAll(/,(?=\s{0,100}[}\]])/g, '')) as BunLock)
  if (path.endsWith('.txt')) return text.replaceAll('\\\n', ' ').split('\n').flatMap(requirement)
  if (path.endsWith('.yaml')) return [...text.split(/^(?= {2}\S)/m).flatMap(yamlEntries), ...pnpmSections(text)]
  // Yarn's heads are not indented; in TOML a package is all up to the next one.
  if (path.endsWith('yarn.lock')) return text.split(/^(?=[^\s#])/m).flatMap(yamlEntries)
  return text.split(/^(?=\[\[package\]\])/m).flatMap(tomlEntries)
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
  const inside = (list: NpmPackage['dependencies'], above: string): [string, NpmPackage][] =>
    Object.entries(list ?? {}).flatMap(([name, of]) => {
      const place = `${above}node_modules/${name}`
      return typeof of === 'string'
        ? []
        : [[place, of] as [string, NpmPackage], ...inside(of.dependencies, `${place}/`)]
    })
  // The first format has them inside one another; the second has both, and each npm reads its own.
  const old = Object.fromEntries(inside(dependencies, ''))
  return [packages ?? {}, old].flatMap((all) =>
    Object.entries(all).flatMap(([place, of]) => (place === '' ? [] : [npmEntry(place, of, all)])),
  )
}

function npmEntry(place: string, of: NpmPackage, all: Record<string, NpmPackage>): Entry {
  const { version, resolved, integrity, link, requires } = of
  const uses = [of.dependencies, of.optionalDependencies, of.peerDependencies, requires]
  const names = uses.flatMap((list) => (typeof list === 'object' ? Object.keys(list) : []))
  return {
    id: place,
    name: place.split('node_modules/').at(-1) ?? '',
    text: JSON.stringify([version, resolved, integrity, link]),
    uses: [
      ...names.map((name) => nearest(place, name, all)),
      ...(link === true && resolved !== undefined ? [resolved] : []),
    ],
  }
}

/** Where Node finds a package from another's place: in its own folder, or in one above. */
function nearest(from: string, name: string, all: Record<string, NpmPackage>): string {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const place = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`
    if (at === '' || Object.hasOwn(all, place)) return place
  }
}

/** Sources decide for every package, and nothing here says what uses what. */
function pipEntries({ _meta: meta, ...lock }: Record<string, Record<string, object>>): Entry[] {
  const packages = Object.values(lock).flatMap((part) => Object.entries(part))
  const entries = packages.map(([name, of]) => ({ name: plain(name), text: JSON.stringify(of), uses: [] }))
  return [...entries, { name: ANY, text: JSON.stringify(meta?.['sources'] ?? null), uses: [] }]
}

interface BunLock {
  packages?: Record<string, unknown[]>
}

function bunEntries({ packages = {} }: BunLock): Entry[] {
  return Object.entries(packages).map(([place, of]) => {
    const name = /(?:@[^/]+\/)?[^/]+$/.exec(place)?.[0] ?? place
    return { name, text: JSON.stringify([place, of]), uses: wordsIn(JSON.stringify(of)) }
  })
}

/** Whatever is no plain pin, such as another index or a file, decides for every package. */
function requirement(line: string): Entry[] {
  const text = line.replace(/(?:^|\s)#.*$/, '').trim()
  if (text === '') return []
  const [, name] = /^([\w.-]+)\s*(?:\[[^\]]*\])?\s*(?:[=<>~!]|;|$)/.exec(text) ?? []
  return [{ name: name === undefined ? ANY : plain(name), text, uses: [] }]
}

/** `"vitest@^3", vitest@^3.1:` or `'/vitest@3.0.0':`, and what is indented below. */
function yamlEntries(block: string): Entry[] {
  const line = block.indexOf('\n')
  const head = (line === -1 ? block : block.slice(0, line)).trim()
  const body = line === -1 ? head : block.slice(line)
  if (head.length > headCharsMax || !head.includes(':')) return []
  const names = new Set(head.split(',').map((part) => nameIn(part.trim().replace(/^["'/]+/, ''))))
  const uses = wordsIn(body)
  return [...names].flatMap((name) => (name === '' ? [] : [{ name, text: body.trim(), uses }]))
}

function tomlEntries(block: string): Entry[] {
  const [, name] = /^name[ \t]*=[ \t]*["']([^"']{1,200})["']/m.exec(block) ?? []
  if (name === undefined) return []
  const text = block.replace(/^description[ \t]*=.*$/m, '').trim()
  return [{ name: plain(name), text, uses: wordsIn(text) }]
}

const headCharsMax = 10_000
/** In place of a package: it decides how all of them resolve. */
const ANY = 'where packages come from'

/** Python's names are the same whatever stands between their words. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, '-')

/** Of `@scope/name@1.2` and of `name/1.2`. */
const nameIn = (word: string): string => /^(@[^/@\s]+\/[^/@\s"':]+|[^@/\s"':]+)/.exec(word)?.[1] ?? ''

const wordsIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/@?[\w][\w./-]{0,200}/g)].map(([word]) => nameIn(word))),
]

/** Which of several versions the project itself uses, and what is put in place of others, stand elsewhere than the packages. */
function pnpmSections(text: string): Entry[] {
  const sections = text.split(/^(?=\S)/m).filter((part) => /^(?:overrides|patchedDependencies):/.test(part))
  const imports = text.matchAll(
    /^[ \t]{4,20}(["']?)([@\w][^\s"':]{0,200})\1:\n[ \t]+specifier: (.*)\n[ \t]+version: (.*)$/gm,
  )
  return [
    ...sections.map((part) => ({ name: ANY, text: part.trim(), uses: [] })),
    ...[...imports].map(([, , name = '', ...how]) => ({ name, text: `imported ${how.join(' ')}`, uses: [] })),
  ]
}
