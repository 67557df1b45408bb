/** How the real programs are pointed at the scripted model, and with what they pay. */
import { join } from 'node:path'
import type { ProgramAgent } from '../../src/domain/config.ts'
import type { RunRequest } from '../../src/ports/runtime.ts'
import type { Play } from '../model-server/server.ts'

export type Name = ProgramAgent['runtime']

/** Where `npm run agents:install` puts them. */
export const bin = join(import.meta.dirname, '../../.agents/bin')
/** What each is given of the environment, by name. */
const KEYS = { claude: ['ANTHROPIC_API_KEY', 'CLAUDE_CODE_MAX_RETRIES'], codex: ['SCRIPTED_KEY'] }
/** Codex's is one that it knows: with any other it offers fewer tools. */
const MODELS = { claude: 'sonnet', codex: 'gpt-5.5' }

/** Both are told the model's address by their arguments, so that runs side by side have their own. */
function addressOf(name: Name, { url }: Play): string[] {
  if (name === 'claude') return ['--settings', JSON.stringify({ env: { ANTHROPIC_BASE_URL: url } })]
  const retries = 'request_max_retries=1,stream_max_retries=1'
  const provider = `{name="scripted",base_url="${url}",env_key="SCRIPTED_KEY",wire_api="responses",${retries}}`
  return ['-c', 'model_provider="scripted"', '-c', `model_providers.scripted=${provider}`]
}

/** A run of the program on that stage. */
export function requestOf(name: Name, play: Play, places: Pick<RunRequest, 'runId' | 'dir' | 'workspace'>): RunRequest {
  return {
    ...places,
    taskId: 'task-1',
    role: 'implementer',
    judge: false,
    attempt: 1,
    round: 0,
    nonce: 'n0nce',
    prompt: `Do the work of ${places.runId}.\n`,
    projectRoot: places.workspace,
    agent: {
      runtime: name,
      model: MODELS[name],
      args: addressOf(name, play),
      env: KEYS[name],
      timeoutMs: 30_000,
      stallMs: 20_000,
      network: true,
      checks: [],
    },
  }
}
