/** muster import --issues, --label: issues of the forge become tasks for the base branch, or one story. */
import { issuesOf, withCommands } from '../app.ts'
import { issueMark, planOfIssues, sortIssues, taskOfIssue } from '../config/issues.ts'
import { castTask } from '../config/new-task.ts'
import { MusterError } from '../domain/errors.ts'
import type { Issue } from '../domain/forge.ts'
import type { Commands } from '../engine/commands.ts'
import type { IssueWish } from '../ports/forge.ts'
import type { Store } from '../ports/store.ts'
import type { Project } from '../project.ts'
import { dryRun } from './dry-run.ts'
import type { Io } from './io.ts'
import { oneLine, printJson } from './io.ts'
import { tellSubmitted } from './run.ts'
import { commaList, reading } from './session.ts'

const HINT = 'muster import plan.yaml, muster import --issues 12,15 or muster import --label bug'
const listedTasks = 500

/** What of the forge is asked for; null: a plan is. */
export function issueWish(plan: string, { issues, label, story }: Record<string, unknown>): IssueWish | null {
  const given = [plan !== '', issues !== undefined, label !== undefined].filter(Boolean).length
  if (given !== 1) throw new MusterError('usage', 'import takes one of: a plan, issue numbers, a label', { hint: HINT })
  if (plan !== '' && story !== undefined) {
    throw new MusterError('usage', '--story only works with --issues and --label; a plan has its own name', {
      hint: HINT,
    })
  }
  // Without a name, GitHub would give every open issue.
  if (typeof label === 'string' && label.trim() === '')
    throw new MusterError('usage', 'a label has a name', { hint: HINT })
  if (typeof label === 'string') return { label }
  if (plan !== '') return null
  const numbers = [...new Set(commaList(issues).map((one) => one.replace(/^#/, '')))]
  const wrong = numbers.find((one) => !/^[1-9]\d{0,9}$/.test(one))
  if (numbers.length > 0 && wrong === undefined) return { numbers }
  throw new MusterError('usage', `"${wrong ?? ''}" is not an issue number`, { hint: HINT })
}

export async function importIssues(
  io: Io,
  project: Project,
  wish: IssueWish,
  options: Record<string, unknown>,
): Promise<number> {
  const { open, notes } = sortIssues(await issuesOf(project, io.env, wish))
  for (const note of notes) io.say(`${io.paint.yellow('note:')} ${oneLine(note)}\n`)
  const how = { json: options['json'] === true, dry: options['dryRun'] === true, notes }
  if (open.length === 0) {
    const what = 'label' in wish ? `with the label "${wish.label}"` : `among ${wish.numbers.join(', ')}`
    throw new MusterError('not_found', `there is no open issue ${what}`, { hint: HINT })
  }
  const { story } = options
  return typeof story === 'string' ? asStory(io, project, story, open, how) : asTasks(io, project, open, how)
}

interface How {
  json: boolean
  dry: boolean
  notes: readonly string[]
}

async function asStory(io: Io, opened: Project, name: string, issues: Issue[], how: How): Promise<number> {
  const { plan, config } = planOfIssues(name, issues, opened.config, opened.root)
  const project = { ...opened, config }
  if (how.dry) return dryRun(io, project, plan, { json: how.json, warnings: [] })
  const submitted = await withCommands(project, io.env, (commands) => commands.submit({ plan, config }))
  if (how.json) printJson(io, { ...submitted, notes: how.notes })
  else {
    tellSubmitted(io, submitted)
    io.say('  next: muster run\n')
  }
  return 0
}

async function asTasks(io: Io, project: Project, issues: Issue[], { json, dry, notes }: How): Promise<number> {
  const there = await reading(io, importedAs)
  const take = async (commands: Commands | null) => {
    const tasks: { issue: string; title: string; id: string | null; isNew: boolean }[] = []
    for (const issue of issues) {
      const { title, instructions } = taskOfIssue(issue)
      const known = there.get(issueMark(issue))
      const none = { acceptanceCriteria: '', checks: [], expectedFiles: [], dependsOn: [] }
      const worded = { title, instructions, ...none, story: null, agent: null, phases: null, defect: null }
      const added = known === undefined ? await commands?.add(castTask(worded, project.config, project.root)) : null
      tasks.push({ issue: issue.id, title, id: known ?? added?.id ?? null, isNew: known === undefined })
    }
    return tasks
  }
  const tasks = dry ? await take(null) : await withCommands(project, io.env, take)
  if (json) printJson(io, { tasks, notes })
  for (const { title, id, isNew } of json ? [] : tasks) {
    const what = isNew ? (dry ? 'would be added' : `added as ${id}`) : `is here as ${id}`
    io.out(`${oneLine(title, 100)}: ${what}\n`)
  }
  if (!dry && !json) io.say('next: muster run\n')
  return 0
}

/** Tasks of no story that were issues before, by the mark in their titles. */
async function importedAs(store: Store): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  let after: string | undefined
  for (;;) {
    const page = await store.listTasks({ limit: listedTasks, ...(after === undefined ? {} : { after }) })
    for (const { spec } of page) {
      const [mark] = / \(#\d+\)$/.exec(spec.title) ?? []
      if (mark !== undefined && spec.story === null) found.set(mark, spec.id)
    }
    after = page.at(-1)?.spec.id
    if (page.length < listedTasks) return found
  }
}
