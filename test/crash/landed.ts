/** What is wrong with the branch a queue has landed on: looked at with git alone, and compared with what Muster says. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TaskView } from '../../src/engine/views/views.ts'
import type { RunRecord } from '../../src/ports/store.ts'
import type { Queue } from './queue.ts'
import { FILES } from './queue.ts'

/** A step of the branch itself. */
interface Step {
  commit: string
  tree: string
  parents: string[]
  message: string
}

export async function problemsOf(queue: Queue): Promise<string[]> {
  const { world } = queue
  await world.start()
  const tasks = await queue.tasks()
  const problems = [...historyProblems(queue, tasks), ...userProblems(queue)]
  for (const task of tasks) problems.push(...workProblems(queue, task, await world.runs(task.id)))
  const { bad } = await world.store.verifyHistory()
  if (bad !== null) problems.push(`the stored history is damaged: ${JSON.stringify(bad)}`)
  for (const { key } of await world.store.pendingIntents()) problems.push(`${key} is pending`)
  if (queue.checkedOut && world.git('status', '--porcelain', '-uno') !== '') problems.push('the checkout is not clean')
  return problems
}

/** Every step is the user's own, or brings the verified snapshot of one completed task as it was merged, once. */
function historyProblems(queue: Queue, tasks: readonly TaskView[]): string[] {
  const { world, target, squash } = queue
  const users = new Set(queue.userCommits.map(({ commit }) => commit))
  const landed = new Set<string>()
  const problems: string[] = []
  for (const { commit, tree, parents, message } of steps(queue)) {
    if (users.has(commit)) continue
    const [onto = '', snapshot] = parents
    const named = /^Muster-Task: (.*)$/m.exec(message)?.[1]
    const task = tasks.find(({ id, commit: made }) => (squash ? id === named : made === snapshot))
    if (task?.commit == null || parents.length !== (squash ? 1 : 2)) {
      problems.push(`${target} has a commit that is neither the user's nor a task's snapshot: ${message}`)
      continue
    }
    if (task.status !== 'completed') problems.push(`${task.id} landed and is ${task.status}`)
    if (landed.has(task.id)) problems.push(`${task.id} landed twice`)
    landed.add(task.id)
    if (world.git('merge-tree', '--write-tree', onto, task.commit) !== tree)
      problems.push(`${task.id} landed as something that was not judged`)
  }
  return problems
}

function steps({ world, start, target }: Queue): Step[] {
  const log = world.git('log', '--first-parent', '-z', '--format=%H%n%T%n%P%n%B', `${start}..${target}`)
  return log.split('\0').flatMap((entry) => {
    const [commit = '', tree = '', parents = '', ...message] = entry.split('\n')
    return commit === '' ? [] : [{ commit, tree, parents: parents.split(' '), message: message.join('\n') }]
  })
}

function userProblems(queue: Queue): string[] {
  const there = new Set(steps(queue).map(({ commit }) => commit))
  return queue.userCommits.flatMap(({ commit, token, line }) => [
    ...(there.has(commit) ? [] : [`the user's commit ${token} is gone`]),
    ...(line === null || tokensAt(queue, 'a.txt', String(line)).includes(token) ? [] : [`${token} is lost`]),
  ])
}

/** Of a completed task every edit that was saved is there; of any other there is nothing. */
function workProblems(queue: Queue, task: TaskView, runs: readonly RunRecord[]): string[] {
  const saved = runs.filter(({ kind, end }) => kind === 'agent' && (end?.verdict === 'PASS' || end?.verdict === 'FAIL'))
  if (task.status !== 'completed') {
    const strays = FILES.filter((file) => contentOf(queue, file).includes(` ${task.id}.`))
    return strays.map((file) => `${task.id} is ${task.status} and has left something in ${file}`)
  }
  const last = saved.at(-1)?.end
  const unjudged = last?.verdict !== 'PASS' || last.commit !== task.commit
  const lost = editsOf(queue, saved).filter(({ file, line, token }) => !tokensAt(queue, file, line).includes(token))
  return [
    ...(unjudged ? [`${task.id} completed with something that did not pass`] : []),
    ...lost.map(({ file, line, token }) => `${token} is lost from ${file}:${line}`),
  ]
}

/** What these runs did, as they noted it down. */
function editsOf({ world }: Queue, runs: readonly RunRecord[]): { file: string; line: string; token: string }[] {
  const log = join(world.top, 'done')
  const ids = new Set(runs.map(({ id }) => id))
  const lines = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []
  return lines.flatMap((text) => {
    const [run = '', file = '', line = '', token = ''] = text.split(' ')
    return ids.has(run) ? [{ file, line, token }] : []
  })
}

function contentOf({ world, target }: Queue, file: string): string {
  const there = world.git('ls-tree', '--name-only', target, '--', file) !== ''
  // One that was taken out by somebody who saw it is accounted for.
  return there ? world.git('show', `${target}:${file}`).replaceAll('!', '') : ''
}

function tokensAt(queue: Queue, file: string, line: string): string[] {
  const lines = contentOf(queue, file).split('\n')
  return lines.filter((text) => text.startsWith(`${line}:`)).flatMap((text) => text.split(' ').slice(1))
}
