/** Finds, in any repository's history, a small commit that changes code together with its tests: a real fix. */
import { must } from './shell.ts'

export interface Fix {
  commit: string
  parent: string
  subject: string
  tests: readonly string[]
  sources: readonly string[]
}

const commitsMax = 400
const filesMax = 8
const linesMax = 300
const yearsMax = 3

const TEST =
  /(?:^|\/)(?:tests?|specs?|__tests__|testing)\/|(?:^|[/._-])(?:tests?|specs?)(?:[._-][^/]*)?\.[^./]+$|(?:^|\/)test_[^/]*$/i
const CODE = /\.(?:[cm]?[jt]sx?|py|go|rs|c|h|cc|cpp|hpp|rb|php|java|kt|cs)$/
const FIX = /\b(?:fix|bug|handle|correct|prevent|regress|crash|wrong|avoid|support|allow|ensure|should|respect|escape)/i
/** With these a change is about more than code. */
const OTHER =
  /(?:^|\/)(?:package(?:-lock)?\.json|pnpm-lock\.yaml|yarn\.lock|go\.(?:mod|sum)|Cargo\.(?:toml|lock)|pyproject\.toml|setup\.(?:cfg|py)|tsconfig[^/]*\.json|[^/]*\.config\.[^/]*|Makefile|CMakeLists\.txt)$/

/**
 * The newest that fits, from `from` backwards; one that calls itself a fix before others. Null if there is none of the last
 * years: what a project needed long ago can hardly be installed any more.
 */
export function findFix(dir: string, home: string, from = 'HEAD'): Fix | null {
  const format = '%x00%H%x09%P%x09%s'
  const newest = Number(must(['git', 'log', '-1', '--format=%ct', from], dir, home))
  const since = `--since=${newest - yearsMax * 365 * 86_400}`
  const log = must(
    ['git', 'log', '--no-merges', '--no-renames', `-n${commitsMax}`, since, `--format=${format}`, '--numstat', from],
    dir,
    home,
  )
  const found = log.split('\0').slice(1).flatMap(fixIn)
  return found.find(({ subject }) => FIX.test(subject)) ?? found[0] ?? null
}

function fixIn(text: string): Fix[] {
  const [head = '', ...rest] = text.split('\n')
  const [commit = '', parent = '', subject = ''] = head.split('\t')
  const rows = rest.filter(Boolean).map((line) => line.split('\t'))
  const paths = rows.map(([, , path = '']) => path)
  const lines = rows.reduce((sum, [added, removed]) => sum + Number(added) + Number(removed), 0)
  const tests = paths.filter((path) => TEST.test(path) && CODE.test(path))
  const sources = paths.filter((path) => !TEST.test(path) && CODE.test(path))
  const small = paths.length <= filesMax && lines <= linesMax
  const fits = small && tests.length > 0 && sources.length > 0 && !paths.some((path) => OTHER.test(path))
  return fits && parent !== '' && !parent.includes(' ') ? [{ commit, parent, subject, tests, sources }] : []
}
