/** `muster add`: a task of its own that lands on the base, or one more task of a story. */
import type { ProjectConfig } from '../domain/config.ts'
import { MusterError } from '../domain/errors.ts'
import type { PhaseMap } from '../domain/phase-map.ts'
import { unknownWord } from '../domain/problem.ts'
import { initialState } from '../domain/task.ts'
import type { NewTask } from '../ports/store.ts'
import { findTask } from './commands.ts'
import type { Engine } from './engine.ts'
import { configHash, extraPrefix, storeTasks, syncBase } from './submit.ts'

export interface NewTaskRequest {
  title: string
  instructions: string
  acceptanceCriteria: string
  checks: string[]
  expectedFiles: string[]
  dependsOn: string[]
  story: string | null
  agent: string | null
  /** null: the project's own. */
  phases: PhaseMap | null
}

const COUNTER = 'lastTask'

export async function addTask(engine: Engine, request: NewTaskRequest, config: ProjectConfig): Promise<{ id: string }> {
  const { store, clock } = engine.parts
  refuseUnknown('check', request.checks, Object.keys(config.checks))
  refuseUnknown('role', request.agent === null ? [] : [request.agent], Object.keys(config.agents))
  const story = request.story === null ? null : await store.story(request.story)
  if (request.story !== null && story === null) {
    const known = (await store.stories()).map(({ id }) => id)
    throw new MusterError('not_found', unknownWord('story', request.story, known), {
      hint: 'muster status lists stories',
    })
  }
  const dependsOn: string[] = []
  for (const wanted of request.dependsOn) dependsOn.push(await findTask(store, wanted))
  await syncBase(engine, config)
  const id = await nextId(engine, story === null ? 'task' : extraPrefix(story.id))
  const task: NewTask = {
    spec: {
      id,
      title: request.title,
      instructions: request.instructions,
      acceptanceCriteria: request.acceptanceCriteria,
      story: story?.id ?? null,
      parent: null,
      dependsOn: [...new Set(dependsOn)],
      checks: request.checks,
      expectedFiles: request.expectedFiles,
      agent: request.agent,
      target: story?.branch ?? config.base,
      phases: request.phases ?? config.phases,
      configHash: configHash(config),
      createdAt: clock.now(),
    },
    state: initialState(id, config.limits.maxTaskRounds),
    definitionHash: '',
  }
  await storeTasks(engine, config, { tasks: [task] })
  engine.touch([id])
  return { id }
}

/** Numbers are never used twice, also not after a crash between the two writes. */
async function nextId(engine: Engine, prefix: string): Promise<string> {
  const { store } = engine.parts
  const name = `${COUNTER}:${prefix}`
  for (let n = Number((await store.setting(name)) ?? 0) + 1; ; n++) {
    const id = `${prefix}-${n}`
    if ((await store.task(id)) !== null) continue
    await store.setSetting(name, String(n))
    return id
  }
}

function refuseUnknown(what: string, names: readonly string[], known: readonly string[]): void {
  const stranger = names.find((name) => !known.includes(name))
  if (stranger === undefined) return
  throw new MusterError('config', unknownWord(what, stranger, known), {
    hint: `define it in muster.yaml under ${what}s:`.replace('roles:', 'agents:'),
  })
}
