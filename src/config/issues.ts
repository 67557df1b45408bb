/** Issues of a forge as tasks or as a story. Only the text of an issue is used, as instructions. */
import type { ProjectConfig } from '../domain/config.ts'
import type { Issue } from '../domain/forge.ts'
import { titleCharsMax } from '../domain/limits.ts'
import { cut } from '../domain/notice.ts'
import type { Plan } from '../domain/story/plan.ts'
import { definitionsIn } from './definitions.ts'
import { castPlan } from './plan.ts'

/** By which a task is known again as that of an issue. */
export const issueMark = ({ id }: Pick<Issue, 'id'>): string => ` (#${id})`

/** Those that can be worked on, and what is to be said of the others. */
export function sortIssues(issues: readonly Issue[]): { open: Issue[]; notes: string[] } {
  const open = issues.filter(({ state }) => state === 'open')
  const notes = issues.flatMap(({ id, state, by, trusted, body }) => {
    if (state === 'pull') return [`#${id} is a pull request: left out`]
    if (state === 'closed') return [`#${id} is closed: left out`]
    if (trusted) return []
    // An agent is told comments of HTML as well.
    const how = body.includes('<!--') ? ', with muster show: its page at the forge hides a part' : ''
    return [`#${id} was written by ${by}, who is not a member of the repository: read it before an agent does${how}`]
  })
  return { open, notes }
}

export function taskOfIssue(issue: Issue): { title: string; instructions: string } {
  const mark = issueMark(issue)
  const title = issue.title.trim()
  const words = issue.body.trim() === '' ? title : issue.body.trim()
  return { title: `${cut(title, titleCharsMax - mark.length)}${mark}`, instructions: `${words}\n\nFrom ${issue.url}` }
}

/** Throws `config` where a plan of that kind would be refused. */
export function planOfIssues(
  name: string,
  issues: readonly Issue[],
  config: ProjectConfig,
  root: string,
): { plan: Plan; config: ProjectConfig } {
  const tasks = issues.map((issue) => {
    const { title, instructions } = taskOfIssue(issue)
    return { id: issue.id, name: title, description: instructions }
  })
  const lineOf = ([, index]: readonly PropertyKey[]): number => (typeof index === 'number' ? index + 1 : 1)
  return castPlan({ name: 'issues', value: { meta: { name }, tasks }, lineOf }, config, name, definitionsIn(root))
}
