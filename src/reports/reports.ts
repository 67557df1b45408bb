/**
 * The report files of one run of a command: what must exist before it, and what is found after it. Untrusted code wrote
 * what is found; what existed before says nothing about this run.
 */
import { constants, existsSync } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import picomatch from 'picomatch'
import { reportBytesMax } from '../domain/limits.ts'
import type { ReportRequest } from './instrument.ts'
import { parseOutput } from './formats/output.ts'
import { merged, parseReport, parseReports } from './formats/report.ts'
import type { ReportProblem, TestCase, TestReport } from '../domain/verdict/test-report.ts'
import { helperText } from './runners/helper.ts'

/** Files of one report; folders that are looked through for them. */
const partsMax = 2000
const foldersMax = 20_000
const depthMax = 12
const PASSED_OVER = new Set(['node_modules', '.git', '.venv', 'venv', 'vendor'])

type Found = TestReport | ReportProblem | null

interface Reports {
  /** What has to lie ready in the run's folder. */
  brings: readonly { path: string; text: string }[]
  /** After the run. `printed`: all that it printed, null if nobody knows. */
  read(printed: Uint8Array | null): Promise<Found>
}

interface ReportScope {
  /** The run's folder. */
  dir: string
  /** Where the command runs, as its report has it. */
  place: string
  /** The same folder, where files can be found. */
  written: string
  /** It is known to run tests: what it prints may name them. */
  runsTests: boolean
}

export async function awaitReports(
  asked: readonly ReportRequest[],
  { dir, place, written, runsTests }: ReportScope,
): Promise<Reports> {
  const brings = (await Promise.all(asked.map((one) => filesFor(one, dir)))).flat()
  const places = asked.flatMap((one) => one.places)
  const before = places.length === 0 ? new Map<string, string>() : await filesAt(written, picomatch(places))

  async function readOne(one: ReportRequest, printed: Uint8Array | null): Promise<Found> {
    const { from, format, path } = one
    if (from === 'output') return printed === null ? null : parseOutput(printed, { root: place, format })
    const paths = from === 'file' ? await partsOf(path) : await newFiles(written, one.places, before)
    if (paths.length > partsMax) return { problem: `it has more than ${partsMax} files` }
    const read = await Promise.all(paths.map(readPlainFile))
    const wrong = read.find((text) => typeof text === 'string')
    if (typeof wrong === 'string') return { problem: wrong }
    const texts = read.filter((text) => typeof text !== 'string')
    return texts.length === 0 ? null : parseReports(texts, { root: place, format })
  }

  return {
    brings,
    async read(printed) {
      const report = await readAll(printed)
      if (report !== null && 'tests' in report) await locate(report.tests, written)
      return report
    },
  }

  async function readAll(printed: Uint8Array | null): Promise<Found> {
    const found: TestReport[] = []
    let stopped = false
    for (const one of asked) {
      const report = await readOne(one, printed)
      if (report !== null && 'problem' in report) return report
      if (report !== null) found.push(report)
      stopped ||= report === null && one.sure
    }
    if (found.length > 0) return merged(found, stopped)
    // Nobody wrote one: it may still have named its tests in what it printed.
    const looks = runsTests || asked.length > 0
    const sniffs = looks && asked.every(({ from, sure }) => from !== 'output' && !sure)
    return sniffs && printed !== null ? parseOutput(printed, { root: place }) : null
  }
}

/** The folder of its report has to be there, with a helper or without. */
async function filesFor(
  { path, helper, format }: ReportRequest,
  dir: string,
): Promise<{ path: string; text: string }[]> {
  const folder = relative(dir, dirname(path))
  const helpers = helper === null ? [] : [{ path: join(folder, helper.as), text: await helperText(helper, path) }]
  return [{ path: join(folder, 'format'), text: `${format}\n` }, ...helpers]
}

/** Stack traces of Java and messages of Go name a file without its folder: the one of that name is meant, if there is one. */
async function locate(tests: readonly TestCase[], folder: string): Promise<void> {
  const bare = tests.filter(({ file }) => file !== undefined && !file.includes('/') && !existsSync(join(folder, file)))
  const names = new Set(bare.flatMap(({ file }) => file ?? []))
  if (names.size === 0 || names.size > partsMax) return
  const there = [...(await filesAt(folder, (inside) => names.has(basename(inside)))).keys()]
  const byName = Map.groupBy(there, (path) => basename(path))
  for (const test of bare) {
    const [path, another] = byName.get(test.file ?? '') ?? []
    if (path !== undefined && another === undefined) test.file = relative(folder, path)
  }
}

/** The one that the project says will be there. */
export async function readConfigured(path: string, place: string): Promise<Found> {
  const read = await readPlainFile(path)
  if (read === 'missing') return { problem: 'it was not written' }
  return typeof read === 'string' ? { problem: read } : parseReport(read, { root: place })
}

/** `report` itself, and `report.<anything>`: several processes may each have written theirs. */
async function partsOf(path: string): Promise<string[]> {
  const folder = dirname(path)
  // What it was told is a folder may be a link by now.
  const real = await Promise.all([folder, dirname(folder)].map((each) => lstat(each).catch(() => null)))
  if (!real.every((info) => info?.isDirectory() === true)) return []
  const names = await readdir(folder)
  const name = basename(path)
  const mine = names.filter((each) => each === name || each.startsWith(`${name}.`))
  return mine.toSorted().map((each) => join(folder, each))
}

async function newFiles(
  folder: string,
  patterns: readonly string[],
  before: ReadonlyMap<string, string>,
): Promise<string[]> {
  const now = await filesAt(folder, picomatch([...patterns]))
  return [...now].filter(([path, stamp]) => before.get(path) !== stamp).map(([path]) => path)
}

/** Each with what changes when it is written again. */
async function filesAt(folder: string, fits: (inside: string) => boolean): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const folders = [folder]
  // A list is gone through with what is added to it on the way.
  for (const each of folders) {
    if (folders.length > foldersMax) break
    const entries = await readdir(each, { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      const path = join(each, entry.name)
      const inside = relative(folder, path)
      if (entry.isDirectory() && !PASSED_OVER.has(entry.name) && inside.split('/').length < depthMax) folders.push(path)
      else if (entry.isFile() && fits(inside)) {
        const info = await lstat(path, { bigint: true }).catch(() => null)
        if (info !== null) found.set(path, `${info.ino} ${info.size} ${info.mtimeNs}`)
      }
    }
  }
  return found
}

/** No link, no pipe, nothing too large. */
export async function readPlainFile(path: string): Promise<Uint8Array | string> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: NodeJS.ErrnoException) => error.code)
  if (typeof file === 'string' || file === undefined)
    return file === 'ENOENT' ? 'missing' : `it cannot be read (${file})`
  try {
    const info = await file.stat()
    if (!info.isFile()) return 'it is not a file'
    if (info.size > reportBytesMax) return `it is larger than ${reportBytesMax / 1024 / 1024} MB`
    return await file.readFile()
  } finally {
    await file.close()
  }
}
