/**
 * Which open tasks can never start, and why: a dependency failed, was cancelled, is missing, or depends on the task
 * itself. It follows chains, so that the last task of a dead chain is explained too.
 */
import { naturalKey } from '../ids.ts'
import type { Deadlock } from './reasons.ts'
import type { TaskStatus } from './task.ts'

export interface DependencyNode {
  id: string
  status: TaskStatus
  dependsOn: readonly string[]
}

/** `nodes` are the open tasks and whatever they depend on; an id that is not among them is missing. */
export function findDeadlocks(nodes: readonly DependencyNode[]): Deadlock[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const known = new Map<string, Deadlock | null>()
  for (const node of nodes) trace(node.id, byId, known)
  const found = [...known.values()].filter((deadlock) => deadlock !== null)
  const keys = new Map(found.map(({ task }) => [task, naturalKey(task)]))
  return found.sort((a, b) => ((keys.get(a.task) ?? '') < (keys.get(b.task) ?? '') ? -1 : 1))
}

/** Depth first without recursion: a chain may be ten thousand tasks long. */
function trace(start: string, byId: Map<string, DependencyNode>, known: Map<string, Deadlock | null>): void {
  const path: { id: string; next: number }[] = []
  const onPath = new Set<string>()
  const push = (id: string) => {
    path.push({ id, next: 0 })
    onPath.add(id)
  }
  if (!known.has(start)) push(start)
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const node = byId.get(top.id)
    const dependency = node?.dependsOn[top.next]
    if (node === undefined || node.status !== 'not-started' || known.has(top.id) || dependency === undefined) {
      if (!known.has(top.id)) known.set(top.id, null)
      onPath.delete(top.id)
      path.pop()
      continue
    }
    top.next += 1
    const cause = directCause(dependency, byId)
    if (cause !== null) {
      known.set(top.id, { task: top.id, reason: cause, via: dependency, root: dependency })
    } else if (onPath.has(dependency)) {
      markCycle(path, dependency, known)
    } else if (known.has(dependency)) {
      inherit(top.id, dependency, known)
    } else {
      top.next -= 1
      push(dependency)
    }
  }
}

function directCause(id: string, byId: Map<string, DependencyNode>): 'failed' | 'cancelled' | 'missing' | null {
  const status = byId.get(id)?.status
  if (status === undefined) return 'missing'
  return status === 'failed' || status === 'cancelled' ? status : null
}

function markCycle(path: { id: string }[], dependency: string, known: Map<string, Deadlock | null>): void {
  const ids = path.map((entry) => entry.id)
  const cycle = ids.slice(ids.indexOf(dependency))
  for (const [index, id] of cycle.entries()) {
    if (known.has(id)) continue
    known.set(id, { task: id, reason: 'cycle', via: cycle[(index + 1) % cycle.length] ?? id, root: id })
  }
}

function inherit(id: string, dependency: string, known: Map<string, Deadlock | null>): void {
  const from = known.get(dependency) ?? null
  if (from !== null) known.set(id, { ...from, task: id, via: dependency })
}
