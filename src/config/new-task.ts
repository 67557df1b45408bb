/** One new task: checks its role, phases and defect against the configuration, before it is created. */
import { z } from 'zod'
import { knownChecks } from '../tools/checks.ts'
import type { ProjectConfig } from '../domain/config.ts'
import { VAGUE_HINT, vagueCriteria } from '../domain/contract/criterion-lint.ts'
import { MusterError } from '../domain/errors.ts'
import { idCharsMax, problemsMax } from '../domain/limits.ts'
import type { PhaseMap } from '../domain/task/phase-map.ts'
import { ISSUE_VERIFIER, phasesOf } from '../domain/validation.ts'
import { Cast } from './resolve-roles.ts'
import { definitionsIn } from './definitions.ts'
import { readPhases } from './phases.ts'
import { projectPath, specRef, text, title, words } from './fields.ts'

const name = z.string().min(1).max(idCharsMax)

/** A task as a program words it, over HTTP or MCP. */
export const taskRequest = z.strictObject({
  title,
  instructions: text.optional().describe('what to do; without it, the title'),
  acceptanceCriteria: text.default(''),
  checks: words.default([]),
  expectedFiles: z.array(z.string().min(1).max(1000)).max(1000).default([]),
  dependsOn: z.array(name).max(1000).default([]),
  story: name.nullable().default(null).describe('without one it lands on the base branch'),
  agent: name.nullable().default(null).describe('the role that does it'),
  phases: name.nullable().default(null).describe('the name of a preset'),
  defect: z.string().max(1000).nullable().default(null).describe('the report of the defect it fixes'),
  specRef: specRef.nullable().default(null).describe('where its specification is: a path, a section or a URL'),
})

interface WordedTask {
  acceptanceCriteria: string
  agent: string | null
  /** The name of a preset; null: the project's own phases. */
  phases: string | null
  /** The report of the defect it fixes, as a path of the project. */
  defect: string | null
}

/**
 * The task with what its words stand for, and the configuration with the roles it needs. `root`: the project's folder,
 * with the definitions of its roles; `defectWord`: what the defect is called where it was given.
 */
export function castTask<T extends WordedTask>(
  worded: T,
  given: ProjectConfig,
  root: string,
  defectWord = 'defect',
): { task: Omit<T, 'phases'> & { phases: PhaseMap | null }; config: ProjectConfig } {
  const { agent, phases: preset, acceptanceCriteria } = worded
  const vague = vagueCriteria(acceptanceCriteria).slice(0, problemsMax)
  if (vague.length > 0) throw new MusterError('config', vague.join('\n'), { hint: VAGUE_HINT })
  const cast = Cast.of(given, definitionsIn(root))
  const missing = agent === null ? null : cast.needWorker(agent)
  if (missing !== null) throw new MusterError('config', missing, { hint: 'define it in muster.yaml under agents:' })
  const phases = preset === null ? null : readPhases(preset, { cast, checks: knownChecks(given) }, [])
  if (phases !== null && phases.problems.length > 0) {
    throw new MusterError('config', phases.problems.map(({ message }) => message).join('\n'), {
      hint: 'see phases: in muster.yaml',
    })
  }
  const defect = worded.defect === null ? null : defectPath(worded.defect, cast, defectWord)
  const config = cast.joined(given)
  const own = phases === null && defect === null
  const words = { phases: phases?.map ?? null, agent, ...(defect === null ? {} : { defect }) }
  return { task: { ...worded, defect, phases: own ? null : phasesOf(words, config) }, config }
}

/** Where the report of the defect is; somebody has to verify that it is gone. */
function defectPath(text: string, cast: Cast, word: string): string {
  const read = projectPath.safeParse(text)
  const missing = cast.needJudge(ISSUE_VERIFIER)
  if (!read.success)
    throw new MusterError('usage', `${word} ${read.error.issues[0]?.message ?? 'is no path'}`, {
      hint: 'give the path of the defect report from the root of the project, such as docs/defects/login.md',
    })
  if (missing !== null) throw new MusterError('config', missing, { hint: 'define it in muster.yaml under agents:' })
  return read.data
}
