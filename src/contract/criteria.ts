/**
 * Turns acceptance criteria into criteria of a contract. Muster judges what it can find out itself (a command, a
 * statement about a file), a person judges what only people can, and the checker judges the rest. A statement about
 * HTTP ("GET /health returns 200") goes to the checker unless it names a command: Muster cannot know from the text
 * which server to run, how it starts and when it is ready. A wrong guess would be an ERROR of Muster, not a verdict on
 * the work.
 */
import type { Assertion, Criterion } from '../domain/contract/contract.ts'
import { commandOf, fileStatementOf, isForPerson, toolNameOf } from '../domain/contract/criterion-form.ts'
import { lintCriterion } from '../domain/contract/criterion-lint.ts'
import { splitCriteria } from '../domain/contract/criterion-split.ts'
import type { ProjectFacts } from '../tools/facts.ts'
import { pathProblem } from './files.ts'

export type DraftCriterion = Omit<Criterion, 'id'>

const criteriaMax = 100
const descriptionCharsMax = 1000

interface ReadCriteria {
  criteria: DraftCriterion[]
  notices: string[]
}

/** `files`: the paths the project has, to find the README that "README contains …" means. */
export function readCriteria(text: string, facts: ProjectFacts, files: readonly string[]): ReadCriteria {
  const statements = splitCriteria(text)
  const notices = statements.slice(0, criteriaMax).flatMap((statement) => {
    const found = lintCriterion(statement)
    return found === null
      ? []
      : [`acceptance criterion "${shorten(statement, 60)}": ${found.problem}; ${found.rewording}`]
  })
  if (statements.length > criteriaMax) {
    notices.push(
      `there are ${statements.length} acceptance criteria; only the first ${criteriaMax} are judged one by one`,
    )
  }
  return { criteria: statements.slice(0, criteriaMax).flatMap((one) => criteriaOf(one, facts, files)), notices }
}

/** One statement is one criterion, unless several checks answer it together. */
function criteriaOf(statement: string, facts: ProjectFacts, files: readonly string[]): DraftCriterion[] {
  const base = { description: shorten(statement, descriptionCharsMax), kind: 'goal' } as const
  // What speaks to the judge is never put before a model that judges.
  if (lintCriterion(statement)?.for === 'person') return [{ activity: 'acceptance', ...base, judge: 'person' }]
  if (statement.length > descriptionCharsMax) return [{ activity: 'acceptance', ...base, judge: 'checker' }]
  const command = commandOf(statement)
  if (command !== null) return [{ activity: 'command', ...base, ...command, judge: 'machine' }]
  const tools = toolsOf(statement, facts)
  if (tools.length > 0) return tools.map((tool) => ({ ...tool, ...base, judge: 'machine' }))
  const assertion = assertionOf(statement, files)
  if (assertion !== null) return [{ activity: 'file', ...base, assertion, judge: 'machine' }]
  const judge = isForPerson(statement) ? 'person' : 'checker'
  return [{ activity: HTTP.test(statement) ? 'http' : 'acceptance', ...base, judge }]
}

const HTTP = /\b(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)\s+`?\/\S*/

/** "All tests pass" means the project's own: those of the whole or, where there are none, of each part. */
function toolsOf(statement: string, facts: ProjectFacts): { activity: string; command: string }[] {
  const name = toolNameOf(statement)
  const whole = name === undefined ? undefined : facts.tools[name]
  if (name !== undefined && whole !== undefined) return [{ activity: name, command: whole.command }]
  const parts = facts.parts.filter(({ tool }) => tool !== null && tool === name)
  return parts.map((part) => ({ activity: part.name, command: part.command }))
}

function assertionOf(statement: string, files: readonly string[]): Assertion | null {
  const said = fileStatementOf(statement)
  const path = said === null ? null : pathOf(said.path, files)
  return said === null || path === null ? null : { ...said, path }
}

/** A path says where it is or what it is by its ending; a bare README is the one the project has. */
function pathOf(named: string, files: readonly string[]): string | null {
  if (pathProblem(named) !== null) return null
  const path = named.replace(/^\.\//, '')
  if (/\/|.\.\w{1,10}$/.test(path) || files.includes(path)) return path
  const like = files.filter((file) => file.toLowerCase().replace(/\.\w+$/, '') === path.toLowerCase())
  return like.length === 1 ? (like[0] ?? null) : null
}

function shorten(text: string, charsMax: number): string {
  return text.length > charsMax ? `${text.slice(0, charsMax - 1)}…` : text
}
