/** The MCP resources: the report of a task, and the output of its runs. Others' words, limited in size, as data. */
import { isId } from '../domain/ids.ts'
import { mcpLogCharsMax, mcpReportCharsMax } from '../domain/limits.ts'
import { explain } from '../engine/views/explain.ts'
import { limitedPrograms } from '../engine/loop/rate-limits.ts'
import { logReader, toRead } from '../engine/jobs/run-log.ts'
import { runView } from '../engine/views/run-view.ts'
import { taskView } from '../engine/views/views.ts'
import type { RunRecord, Store, StoredTask } from '../ports/store.ts'
import type { Resources } from './protocol.ts'
import type { McpService } from './service.ts'

const JSON_TYPE = 'application/json'
const TEXT_TYPE = 'text/plain'
const pageTasks = 50

const reportUri = (task: string): string => `muster://tasks/${encodeURIComponent(task)}/report`

export function resourcesOf(service: McpService): Resources {
  const { look } = service
  return {
    templates: [
      {
        uriTemplate: 'muster://tasks/{task}/report',
        name: 'report',
        mimeType: JSON_TYPE,
        description: 'A task with its contract, verification, findings, runs and history',
      },
      {
        uriTemplate: 'muster://tasks/{task}/log',
        name: 'log',
        mimeType: TEXT_TYPE,
        description: "The end of what a task's last run printed",
      },
      {
        uriTemplate: 'muster://runs/{run}/log',
        name: 'run log',
        mimeType: TEXT_TYPE,
        description: 'The end of what a run printed',
      },
    ],
    list: (after) =>
      look(async (store) => {
        const found = await store.listTasks({ after, limit: pageTasks + 1 })
        const page = found.slice(0, pageTasks)
        const resources = page.map(({ spec: { id, title } }) => {
          return { uri: reportUri(id), name: `${id} report`, description: title, mimeType: JSON_TYPE }
        })
        const last = page.at(-1)?.spec.id
        return found.length > pageTasks && last !== undefined ? { resources, nextCursor: last } : { resources }
      }),
    read: (uri) =>
      look(async (store) => {
        const [, kind, id = '', what] = /^muster:\/\/(tasks|runs)\/([^/?#]{1,400})\/(report|log)$/.exec(uri) ?? []
        const wanted = decoded(id)
        if (wanted === null || (kind === 'runs' && what === 'report')) return null
        if (kind === 'runs') return logText(service, store, await store.run(wanted))
        const task = await store.task(wanted)
        if (task === null) return null
        if (what === 'report') return report(service, store, task)
        const runs = (await store.runs(task.spec.id)).filter((run) => run.kind !== 'action')
        return logText(service, store, toRead(runs) ?? null)
      }),
  }
}

/** null for what is no id. */
function decoded(text: string): string | null {
  try {
    const id = decodeURIComponent(text)
    return isId(id) ? id : null
  } catch {
    return null
  }
}

async function report({ now }: McpService, store: Store, task: StoredTask) {
  const limited = await limitedPrograms(store, now())
  const runs = [...(await store.runs(task.spec.id)), ...(await store.checkRuns(task.spec.id))]
  const { history, next, why } = await explain(store, task, limited)
  const view = { task: await taskView(store, task, limited), why, next, runs: runs.map(runView), history }
  const text = JSON.stringify(view, null, 2)
  // Of a task with a long life the runs and the history are left to list_tasks' other tools.
  const short = text.length <= mcpReportCharsMax ? text : JSON.stringify({ task: view.task, why, next }, null, 2)
  return { mimeType: JSON_TYPE, text: cutEnd(short) }
}

function cutEnd(text: string): string {
  return text.length <= mcpReportCharsMax ? text : `${text.slice(0, mcpReportCharsMax)}\n… cut`
}

async function logText({ log }: McpService, store: Store, run: RunRecord | null) {
  if (run === null) return null
  const found = await log(store, run)
  if (run.end !== null && !found.exists()) return null
  const reader = logReader(found)
  const text = reader.add(await found.read()) + reader.rest()
  const end =
    text.length <= mcpLogCharsMax ? text : `… cut: the end of ${text.length} characters\n${text.slice(-mcpLogCharsMax)}`
  return { mimeType: TEXT_TYPE, text: end.toWellFormed() }
}
