/**
 * `npm run shape` measures the house: how much code one task runs through, how many shapes and special cases there are,
 * and what is long, tangled or unused. `--list` names the places, `--json` prints both for programs, and `--shrink` takes
 * what is gone out of the lists of the test that lets nothing new in.
 */
import { parseArgs } from 'node:util'
import { endsIn, unlistedEnds, type Shape } from './shape/ends.ts'
import { bigFunctions, type Counted } from './shape/functions.ts'
import { cycles, exportsOf, folderCycles, unusedExports, type Export } from './shape/imports.ts'
import { longFiles, tallyOf } from './shape/lines.ts'
import { mentions } from './shape/names.ts'
import { shrink } from './shape/ratchet.ts'
import { comparedSentences } from './shape/sentences.ts'
import { houseOf, readSources } from './shape/sources.ts'
import { wayOfOneTask } from './shape/way.ts'

interface Row {
  what: string
  figure: number
  places: string[]
}

const { values: options } = parseArgs({
  options: { json: { type: 'boolean' }, list: { type: 'boolean' }, shrink: { type: 'boolean' } },
})

const sources = readSources()
if (options.shrink === true) shrink(sources)
else if (options.json === true) console.log(JSON.stringify(await measure(), null, 2))
else print(await measure())

async function measure(): Promise<Row[]> {
  const house = houseOf(sources)
  const way = Object.entries((await wayOfOneTask()).files)
  const { code, comments, blank } = tallyOf(house)
  const { long, complex } = bigFunctions(house)
  const { nobody, testsOnly } = unusedExports(sources)
  const [running, all] = [cycles(house, false), cycles(house, true)]
  return [
    row(
      'files that one checked task runs through',
      way.map(([path]) => path),
    ),
    row(
      'functions that it runs',
      way.map(([path, ran]) => `${path} ${ran}`),
      way.reduce((sum, [, ran]) => sum + ran, 0),
    ),
    row('types that say how a piece of work ended', endsIn(house).map(place)),
    row('  more that are shaped like them', unlistedEnds(house).map(place)),
    ...mentions(house).map(({ name, files }) => row(`files that mention ${name} outside its owner`, files)),
    ...cyclesRows('import cycles', running),
    ...cyclesRows('import cycles, types included', all),
    ...cyclesRows('circles of folders inside rooms', folderCycles(house), 'folders'),
    row('functions over 70 lines', long.map(counted)),
    row('functions with a complexity over 20', complex.map(counted)),
    row('files over 300 lines', longFiles(house)),
    row('files', [], house.length),
    row('lines of code', [], code),
    row('lines of comments', [], comments),
    row('blank lines', [], blank),
    row('exports', [], house.flatMap(exportsOf).length),
    row('exports that nobody imports', nobody.map(exported)),
    row('exports that only tests import', testsOnly.map(exported)),
    row(
      'places where words for people are compared',
      comparedSentences(house).map((each) => `${each.path}:${each.line}  ${each.text}`),
    ),
  ]
}

function cyclesRows(what: string, found: readonly string[][], whats = 'files'): Row[] {
  return [
    row(
      what,
      found.map((each) => each.join(' ⇄ ')),
    ),
    row(`  ${whats} in them`, found.flat()),
  ]
}

function row(what: string, places: string[], figure = places.length): Row {
  return { what, figure, places }
}

function place({ path, line, name }: Shape): string {
  return `${path}:${line} ${name}`
}

function counted({ path, line, name, value }: Counted): string {
  return `${path}:${line} ${name} ${value}`
}

function exported({ path, name }: Export): string {
  return `${path} ${name}`
}

function print(measured: readonly Row[]): void {
  const width = Math.max(...measured.map(({ what }) => what.length))
  for (const { what, figure, places } of measured) {
    console.log(`${what.padEnd(width)}  ${String(figure).padStart(6)}`)
    if (options.list === true) for (const each of places) console.log(`    ${each}`)
  }
}
