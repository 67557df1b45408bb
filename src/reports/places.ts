/** Finds `file:line` in what compilers, runners and stack traces print, as far as the file is one of the project. */
import { logLineCharsMax } from '../domain/limits.ts'

export interface Place {
  file: string
  line: number
}

// Without a list of endings, `example.com:443` and `12.30:45` would be places too.
const ENDINGS =
  '[cm]?[jt]sx?|pyi?|rs|go|[ch]|cc|[ch]pp|cxx|hh|mm?|java|kts?|scala|groovy|rb|php|cs|fs|swift|vue|svelte|exs?|erl|lua|zig|dart|sh|sql|json|ya?ml|toml|css|scss|less|html|md|proto|graphql'
const EDGE = `\\s"'\`()<>:,;=[\\]│|`
/** `a/b.ts:3`, `a/b.ts(3,5)`, and Python's `File "a/b.py", line 3`. A path begins at an edge only, so that a line is read once. */
const PLACE = new RegExp(
  `(?<![^${EDGE}])([^${EDGE}]+\\.(?:${ENDINGS}))(?::(\\d{1,7})\\b|\\((\\d{1,7})[,)]|", line (\\d{1,7})\\b)`,
  'gi',
)

/** The places of one line; `text` has passed a `cleaner`. */
export function placesOf(text: string): Place[] {
  return [...text.slice(0, logLineCharsMax).matchAll(PLACE)].flatMap((match) => {
    const file = projectFile(match[1] ?? '')
    const line = Number(match[2] ?? match[3] ?? match[4])
    return file === null || line === 0 ? [] : [{ file, line }]
  })
}

/**
 * Where a failure happened: in `file`, if its text names a line of it, or in a file that is named like the class `near`, and
 * else the first place of the project.
 */
export function placeOf(text: string, file?: string, near?: string): Place | null {
  const places = text.split('\n').flatMap(placesOf)
  const isNear = (place: Place): boolean => near !== undefined && place.file.replace(/^.*\/|\.\w+$/g, '') === near
  return places.find((place) => place.file === file) ?? places.find(isNear) ?? places[0] ?? null
}

/** The path as the project has it; null for what does not belong to it: absolute paths, parents, installed packages. */
export function projectFile(path: string): string | null {
  const file = path.replace(/^(?:\.\/)+/, '')
  const parts = file.split('/')
  const foreign = file === '' || file.startsWith('/') || file.startsWith('~') || /[:\\]/.test(file)
  return foreign || parts.some((part) => FOREIGN_FOLDERS.has(part)) ? null : file
}

const FOREIGN_FOLDERS = new Set(['..', 'node_modules', 'site-packages', 'dist-packages', '.venv', 'venv'])
