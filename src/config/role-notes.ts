/** Notes for people about the setup of the project. They never stop a run. */
import { CHECKER, hasAcceptance } from '../domain/task/check.ts'
import type { ProjectConfig } from '../domain/config.ts'
import { LOOKING_TOOLS } from '../domain/config.ts'
import { programNamed } from '../domain/program.ts'
import { KINDS } from './kinds.ts'
import { modelFor } from './resolve-roles.ts'

/** Of the whole configuration: for `run`, `doctor` and the board. */
export function configNotes(config: ProjectConfig): string[] {
  return [...roleNotes(config), ...unjudged(config), ...(config.rules?.notices ?? [])]
}

/** Whether anybody but the author and a person looks at the work (H-10). */
function unjudged({ phases, agents }: ProjectConfig): string[] {
  if (phases.some(({ step }) => step.does === 'judge')) return []
  if (!hasAcceptance(phases))
    return ['no judge reviews the work: phases has neither "signal acceptance" nor a judge. "phases: checked" has both']
  if (Object.hasOwn(agents, CHECKER)) return []
  return [
    'no checker is configured, so a person must accept every task. To change that, add agents.checker to muster.yaml (docs/judges.md)',
  ]
}

export function roleNotes({ agents, definitions = {} }: ProjectConfig): string[] {
  return Object.entries(agents).flatMap(([role, agent]): string[] => {
    if (agent.runtime === 'command') return []
    const { runtime, model, tools, does } = agent
    const definition = Object.hasOwn(definitions, role) ? definitions[role] : undefined
    const notes: string[] = []
    if (does === 'judge' && model?.includes('haiku') === true)
      notes.push(`the ${role} uses the model "${model}". Models of that size accept unfinished work: use a larger one`)
    if (
      definition !== undefined &&
      definition.model !== null &&
      modelFor(programNamed(KINDS.programs, runtime), definition) === undefined
    )
      notes.push(
        `${definition.source} names the model "${definition.model}", which ${runtime} does not have: Muster ignores it`,
      )
    if (
      definition !== undefined &&
      does === 'judge' &&
      tools?.some((tool) => [...LOOKING_TOOLS, 'Bash'].includes(tool)) === false
    )
      notes.push(
        `${definition.source} names no tool that a judge may use (${LOOKING_TOOLS.join(', ')}, and Bash in the sandbox), so it sees only its prompt`,
      )
    return notes
  })
}
