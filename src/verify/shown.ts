/**
 * Whether the passed tests use the file that a criterion names (H-3). It fails only if the report says which files its
 * tests are in. If it cannot tell, it warns: never a silent pass, never a failure.
 */
import { posix } from 'node:path'
import type { Contract, Criterion } from '../domain/contract/contract.ts'
import { fitsPattern } from '../domain/contract/test-pattern.ts'
import type { Workspaces } from '../ports/workspaces.ts'
import { fileNames, usedBy } from './imports.ts'
import type { TestCase } from '../domain/verdict/test-report.ts'

/** Files that are read to find out. */
const readsMax = 600
const readBytesMax = 512 * 1024
/** Larger files are taken for code. */
const typesCharsMax = 20_000

export interface NotShown {
  /** Null where nothing tells which file a pattern is about. */
  file: string | null
  /** The task lists the file, or a person wrote the contract: it is the author's to show. Otherwise it is a warning. */
  fails: boolean
  words: string
}

/** The tree that was judged. */
export interface Tree {
  files(): Promise<readonly string[]>
  read(path: string): Promise<string | null>
}

/** Reads each file once. */
export function treeOf(workspaces: Pick<Workspaces, 'files' | 'read'>, commit: string): Tree {
  let files: Promise<readonly string[]> | null = null
  const texts = new Map<string, Promise<string | null>>()
  return {
    files: () => (files ??= workspaces.files(commit)),
    read(path) {
      const text = texts.get(path) ?? workspaces.read(commit, path, readBytesMax)
      texts.set(path, text)
      return text
    },
  }
}

interface ShownBy {
  /** Of the runner's report; null if there is none. */
  tests: readonly TestCase[] | null
  /** Where it ran: its paths are from there. */
  cwd: string
  /** Files that its coverage report says were executed. */
  covered?: readonly string[]
}

/** Null if a test shows it, or if nobody asks. `changed`: files that brought criteria with them. */
export async function notShown(
  { pattern }: Pick<Criterion, 'pattern'>,
  { files, generatedFrom }: Pick<Contract, 'files' | 'generatedFrom'>,
  changed: readonly string[],
  { tests, cwd, covered = [] }: ShownBy,
  tree: Tree,
): Promise<NotShown | null> {
  if (pattern === undefined) return null
  const listed = files.find(({ path }) => fitsPattern(path, pattern))
  const file = listed?.path ?? changed.find((path) => fitsPattern(path, pattern)) ?? null
  if (file !== null && !(await isAsked(file, tree))) return null
  const what = file ?? `"${pattern}"`
  const untold = (why: string): NotShown => ({
    file,
    fails: false,
    words: `Muster cannot tell whether a test ran for ${what}: ${why}`,
  })
  if (tests === null) return untold('the command writes no report')

  const paths = await tree.files()
  const known = new Set(paths)
  const passed = tests.filter(({ status }) => status === 'passed').map((test) => placeOf(test, cwd, known))
  const inFiles = [...new Set(passed.flatMap(({ path }) => path ?? []))]
  const ran = covered.some((path) => (file === null ? fitsPattern(path, pattern) : path === file))
  // That it was not executed says little: what a test starts as a process of its own is in no coverage report.
  if (ran && passed.length > 0) return null
  const unplaced = passed.filter(({ path }) => path === null)
  if (inFiles.some((path) => path === file || isNamedFor(path, pattern))) return null
  if (unplaced.some(({ name }) => mentions(name, pattern))) return null
  const reach = await reaches(inFiles, file, pattern, paths, tree)
  if (reach === 'yes') return null
  if (reach === 'unknown') return untold(`it would have to read more than ${readsMax} files`)
  if (unplaced.length > 0) return untold('the report does not name the files of the tests')
  const fails = listed === undefined ? generatedFrom === 'user' : listed.from === 'expected'
  return { file, fails, words: `not shown by any test: no passed test names or uses ${what}` }
}

const CODE =
  /\.(?:[cm]?[jt]sx?|vue|svelte|py|rb|php|go|rs|java|kts?|scala|groovy|cs|fs|swift|mm?|c|cc|cpp|cxx|exs?|erl|lua|dart|zig|sh)$/i
const SETTINGS = /\.d\.[cm]?ts$|\.config\.\w+$|(?:^|\/)\.[^/]*$|(?:^|\/)(?:setup|conftest|noxfile)\.py$/i

/** Prose, styles, data, configuration and types cannot be tested; nor can what is not there any more. */
async function isAsked(path: string, tree: Tree): Promise<boolean> {
  if (!CODE.test(path) || SETTINGS.test(path)) return false
  const text = await tree.read(path)
  return text !== null && !(/\.[cm]?tsx?$/.test(path) && isTypesOnly(text))
}

/** Nothing in it runs: every statement is a type, an interface or an import of them. */
function isTypesOnly(text: string): boolean {
  if (text.length > typesCharsMax) return false
  const code = text.replace(/\/\*[^]*?\*\/|\/\/.*$/gm, '')
  return !/\b(?:const|let|var|function|class|enum|default|return|await)\b|^[ \t]*[\w.]+\(/m.test(code)
}

function placeOf(
  { name, file }: TestCase,
  cwd: string,
  known: ReadonlySet<string>,
): { name: string; path: string | null } {
  const said = [file, name.split(' > ')[0]].flatMap((path) => (path === undefined ? [] : [posix.join(cwd, path)]))
  return { name, path: said.find((path) => known.has(path)) ?? null }
}

/** toggle.test.js, test_toggle.py, toggle_spec.rb and ToggleTest.java for toggle; an index is its folder. */
function isNamedFor(path: string, pattern: string): boolean {
  const words = wordsOf(path.replace(/(?<=[^/])\.[a-z]+$/i, '')).filter(
    (word) => !/^(?:tests?|specs?|index|init)$/.test(word),
  )
  const wanted = wordsOf(pattern)
  return wanted.length > 0 && words.slice(-wanted.length).join(' ') === wanted.join(' ')
}

/** The name of the module as a word of its own, in whatever case and spelling. */
function mentions(text: string, pattern: string): boolean {
  const words = wordsOf(pattern.split('/').at(-1) ?? '').map((word) => RegExp.escape(word))
  return (
    words.length > 0 && new RegExp(`(?<![\\w-])(?:test_?)?${words.join('[-_ ]?')}(?:_?test)?(?![\\w-])`, 'i').test(text)
  )
}

function wordsOf(text: string): string[] {
  const parts = text.replace(/([a-z\d])([A-Z])/g, '$1 $2').split(/[^A-Za-z\d]+/)
  return parts.filter((part) => part !== '').map((part) => part.toLowerCase())
}

/** From the test files on through what they import: a test may use a module through an index, or start a program that does. */
async function reaches(
  tests: readonly string[],
  file: string | null,
  pattern: string,
  paths: readonly string[],
  tree: Tree,
): Promise<'yes' | 'no' | 'unknown'> {
  const names = fileNames(paths)
  const seen = new Set(tests)
  const isTest = new Set(tests)
  let reads = 0
  // A set is gone through with what is added to it on the way.
  for (const path of seen) {
    if ((reads += 1) > readsMax) return 'unknown'
    const text = await tree.read(path)
    if (text === null) continue
    if (isTest.has(path) && mentions(text, pattern)) return 'yes'
    for (const used of usedBy(path, text, names)) {
      if (used === file) return 'yes'
      seen.add(used)
    }
  }
  return 'no'
}
