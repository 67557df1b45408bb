/** How Muster would judge a text: for `muster contract --text` and dry runs, which store nothing. */
import { systemClock } from './app.ts'
import { classify } from './contract/classify.ts'
import { contracts } from './contract/contracts.ts'
import { explainText } from './contract/explain.ts'
import type { ProjectConfig } from './domain/config.ts'
import type { Contract } from './domain/contract/contract.ts'
import type { ContractRequest } from './ports/contracts.ts'
import type { Environment } from './project.ts'
import { findPlace, openProject } from './project.ts'
import { treesOf } from './workspace/trees.ts'

/**
 * How a text would be judged as a task of this project, or outside of one as a task of none. Looks at the user's own
 * repository: nothing is made for a question.
 */
export async function contractsHere(cwd: string, env: Environment) {
  const { trees, commit, config } = await treesHere(cwd, env)
  const maker = contracts(trees, systemClock)
  const rest = { instructions: '', acceptanceCriteria: '', checks: [], story: null, written: null, type: null }
  return {
    /** How a task of a plan would be judged. */
    sealed: (request: ContractRequest): Promise<Contract> => maker.seal(request, commit, config),
    preview: (text: string, files: readonly string[]): Promise<Contract> =>
      maker.seal({ ...rest, title: text, expectedFiles: files }, commit, config),
    explain: (text: string, files: readonly string[]): string => explainText(classify(text, files)),
  }
}

async function treesHere(cwd: string, env: Environment) {
  const none = { files: async () => [], read: async () => null }
  const nothing = { checks: {}, rules: null } as Pick<ProjectConfig, 'checks' | 'rules'> as ProjectConfig
  const place = await findPlace(cwd, env).catch(() => null)
  if (place === null) return { trees: none, commit: '', config: nothing }
  const config = place.configPath === null ? nothing : (await openProject(cwd, env)).config
  const { gitDir } = place.repository
  return { trees: treesOf(gitDir), commit: config.base ?? 'HEAD', config }
}
