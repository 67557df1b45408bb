/** Commands whose decisions need proof that a person makes them; the history records the proof. */
import type { Proof } from '../domain/proof.ts'
import type { Commands } from './commands.ts'

/** What an agent must never do in a person's name. */
export type Decision =
  | 'submit'
  | 'decide'
  | 'contract'
  | 'take'
  | 'retry'
  | 'cancel'
  | 'cancelStory'
  | 'archiveStory'
  | 'ship'
  | 'clean'
  | 'discard'

/** `prove` throws where nothing shows it. */
export function proven(commands: Commands, prove: () => Promise<Proof>): Commands {
  const by = async <R extends object>(request: R) => ({ ...request, proof: await prove() })
  return {
    ...commands,
    submit: async (request) => commands.submit(request.decides === true ? await by(request) : request),
    decide: async (request) => commands.decide(await by(request)),
    contract: async (request) => commands.contract(await by(request)),
    take: async (request) => commands.take(await by(request)),
    retry: async (request) => commands.retry(await by(request)),
    cancel: async (request) => commands.cancel(await by(request)),
    cancelStory: async (request) => commands.cancelStory(await by(request)),
    archiveStory: async (request) => commands.archiveStory(await by(request)),
    ship: async (request) => commands.ship(await by(request)),
    clean: async (request) => commands.clean(await by(request)),
    discard: async (request) => commands.discard(await by(request)),
  }
}
