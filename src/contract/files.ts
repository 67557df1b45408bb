/** What paths tell: which files are prose, and which paths stay inside the project. */
import { MusterError } from '../domain/errors.ts'
import { AGENT_FOLDERS, INSTRUCTIONS } from '../tools/agent-files.ts'

/** In doubt a file is not prose: taken for code it is verified, taken for prose it would be waved through. */
export function isProse(path: string): boolean {
  const folders = path.toLowerCase().split('/')
  const name = folders.pop() ?? ''
  if (INSTRUCTIONS.some((file) => file === name)) return false
  if (folders.some((folder) => ACTED_ON.has(folder)) && !/^readme\b/.test(name)) return false
  if (/.\.(?:md|mdx|markdown|rst|adoc|asciidoc)$/.test(name) || BY_NAME.test(name)) return true
  return folders.some((folder) => DOCS.has(folder)) && IN_DOCS.test(name) && !READ_BY_TOOLS.test(name)
}

const DOCS = new Set(['doc', 'docs', 'documentation'])
const IN_DOCS = /\.(?:txt|png|jpe?g|gif|webp|svg|pdf)$/
const BY_NAME =
  /^(?:authors|changelog|changes|contributing|contributors|copying|licen[cs]e|news|notice|readme)(?:\.txt)?$/
const READ_BY_TOOLS = /^(?:cmakelists|constraints|requirements|robots)/
/** Markdown in these folders is the input of programs: tests, prompts, agents. */
const ACTED_ON = new Set([
  '__fixtures__',
  '__snapshots__',
  '__tests__',
  'fixtures',
  'snapshots',
  'testdata',
  'agents',
  'prompts',
  'skills',
  ...AGENT_FOLDERS,
])

const pathCharsMax = 1000

/** What keeps a path from being one in the project; null when it is. */
export function pathProblem(path: string): string | null {
  if (path.trim() === '') return 'is empty'
  if (path.length > pathCharsMax) return `has ${path.length} characters; the limit is ${pathCharsMax}`
  if (/\p{Cc}/u.test(path)) return 'has control characters'
  if (/^(?:\/|~|[A-Za-z]:)/.test(path)) return 'is not relative to the project: write it from the root'
  if (path.includes('\\')) return 'has a backslash: folders are separated by /'
  if (path.split('/').includes('..')) return 'leads outside of the project'
  return null
}

/** Expected files as they are written, without `./` and repetitions; refused if one is not in the project. */
export function checkExpectedFiles(paths: readonly string[]): string[] {
  const wrong = paths.flatMap((path) => {
    const problem = pathProblem(path)
    return problem === null ? [] : [`the expected file "${path.slice(0, 100)}" ${problem}`]
  })
  if (wrong.length > 0) {
    const hint = 'name files from the root of the project, such as src/login.ts'
    throw new MusterError('usage', wrong.slice(0, 10).join('\n'), { hint })
  }
  return [
    ...new Set(
      paths.map((path) =>
        path
          .trim()
          .replace(/^(?:\.\/+)+/, '')
          .replace(/\/+/g, '/'),
      ),
    ),
  ]
}
