/** `muster add`: a task of its own that lands on the base, or one more task of a story. */
import { wordsOf } from '../../domain/task/reasons.ts'
import { checksOf, knownChecks } from '../../tools/checks.ts'
import type { ProjectConfig } from '../../domain/config.ts'
import type { Contract } from '../../domain/contract/contract.ts'
import { MusterError } from '../../domain/errors.ts'
import type { PhaseMap } from '../../domain/task/phase-map.ts'
import { unknownWord } from '../../domain/problem.ts'
import { askedFor } from '../../domain/task/elaboration.ts'
import { initialState } from '../../domain/task/task.ts'
import { sealTask, wordsOn, type Wish } from './contracts.ts'
import type { EngineTurns } from './core.ts'
import { findStory, findTask } from '../meant.ts'
import { configHash } from '../config-snapshot.ts'
import { extraPrefix, storeTasks, syncBase } from './submit.ts'

export interface NewTaskRequest extends Partial<Wish> {
  title: string
  instructions: string
  acceptanceCriteria: string
  checks: string[]
  expectedFiles: string[]
  dependsOn: string[]
  story: string | null
  agent: string | null
  /** The report of the defect it mends, as a path of the project. */
  defect?: string | null
  specRef?: string | null
  /** null: the project's own. */
  phases: PhaseMap | null
}

/** What whoever adds a task hears of it. */
export interface AddedTask {
  id: string
  contract: Contract
  /** What a person must say before it can start. */
  held: string | null
  notices: { id: string; notice: string }[]
}

const COUNTER = 'lastTask'

export async function addTask(engine: EngineTurns, request: NewTaskRequest, config: ProjectConfig): Promise<AddedTask> {
  const { store, clock } = engine.parts
  refuseUnknown('check', request.checks, knownChecks(config))
  refuseUnknown('role', request.agent === null ? [] : [request.agent], Object.keys(config.agents))
  const story = request.story === null ? null : await store.story(await findStory(store, request.story))
  const dependsOn: string[] = []
  for (const wanted of request.dependsOn) dependsOn.push(await findTask(store, wanted))
  const head = await syncBase(engine, config)
  const phases = request.phases ?? config.phases
  const id = await nextId(engine, story === null ? 'task' : extraPrefix(story.id))
  const task = {
    spec: {
      id,
      title: request.title,
      instructions: request.instructions,
      acceptanceCriteria: request.acceptanceCriteria,
      story: story?.id ?? null,
      parent: null,
      dependsOn: [...new Set(dependsOn)],
      checks: checksOf(config, request.agent, request.checks),
      expectedFiles: request.expectedFiles,
      agent: request.agent,
      purpose: askedFor(phases),
      defect: request.defect ?? null,
      specRef: request.specRef ?? null,
      maxRounds: null,
      target: story?.branch ?? config.base,
      phases,
      configHash: configHash(config),
      createdAt: clock.now(),
    },
    state: initialState(id, config.limits.maxTaskRounds),
    definitionHash: '',
  }
  const from = story === null ? head : ((await engine.parts.workspaces.head(story.branch)) ?? head)
  const sealed = await sealTask(engine.parts, config, task, from, {
    type: request.type ?? null,
    written: request.written ?? null,
  })
  await storeTasks(engine, config, { tasks: [sealed] })
  engine.touch([id])
  return {
    id,
    contract: sealed.contract,
    held: sealed.state.held === null ? null : wordsOf(sealed.state.held),
    notices: wordsOn([sealed]).notices,
  }
}

/** Numbers are never used twice, also not after a crash between the two writes. */
async function nextId(engine: EngineTurns, prefix: string): Promise<string> {
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
