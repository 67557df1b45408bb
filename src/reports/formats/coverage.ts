/**
 * Which files a test run executed, from its coverage report: lcov, the JSON of istanbul, the XML of Cobertura. Like any
 * report it was written by code of unknown origin; an unreadable one says nothing. Pure.
 */
import { posix } from 'node:path'
import { SaxesParser } from 'saxes'

/** A report that names more is of no use to anybody. */
const filesMax = 20_000
const sourcesMax = 20

/** Where runners leave one, from the folder they run in. */
export const COVERAGE_FILES: readonly string[] = [
  'coverage/lcov.info',
  'lcov.info',
  'coverage/coverage-final.json',
  'coverage/cobertura-coverage.xml',
  'coverage.xml',
]

/** Paths from the top of the tree, `root`; those of the report are whole or from `cwd` in it. */
export function coveredFiles(text: string, root: string, cwd: string): string[] {
  try {
    const paths = text.trimStart().startsWith('<') ? cobertura(text) : /^\s*\{/.test(text) ? istanbul(text) : lcov(text)
    const inTree = [...new Set(paths)].map((path) => posix.relative(root, posix.resolve(root, cwd, path)))
    return inTree.filter((path) => path !== '' && !path.startsWith('..')).slice(0, filesMax)
  } catch {
    return []
  }
}

/** A block for each file, with a line for each of its lines and how often that ran. */
function lcov(text: string): string[] {
  return text.split('end_of_record').flatMap((block) => {
    const [, path] = /^SF:(.+)$/m.exec(block) ?? []
    return path !== undefined && /^DA:\d+,0*[1-9]/m.test(block) ? [path.trim()] : []
  })
}

function istanbul(text: string): string[] {
  const files = Object.entries(JSON.parse(text) as Record<string, { s?: Record<string, unknown> }>)
  return files.flatMap(([path, { s = {} }]) => (Object.values(s).some((count) => Number(count) > 0) ? [path] : []))
}

/** Its paths are from one of its sources, and it does not say which. */
function cobertura(text: string): string[] {
  const sources: string[] = []
  const ran = new Set<string>()
  let [source, file]: [string | null, string] = [null, '']
  const parser = new SaxesParser()
  parser.on('opentag', ({ name, attributes }) => {
    if (name === 'source') source = ''
    else if (name === 'class') file = attributes['filename'] ?? ''
    else if (name === 'line' && Number(attributes['hits']) > 0 && ran.size < filesMax) ran.add(file)
  })
  parser.on('text', (part) => {
    if (source !== null) source += part
  })
  parser.on('closetag', ({ name }) => {
    if (name !== 'source') return
    if (sources.length < sourcesMax) sources.push(source?.trim() ?? '')
    source = null
  })
  parser.write(text.trimStart()).close()
  return [...ran].flatMap((path) => ['', ...sources].map((from) => posix.join(from, path)))
}
