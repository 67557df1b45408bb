/**
 * The forge that needs no server: pull requests are Muster's own records, the branches are in the user's repository,
 * and people answer with accept and reject. The same phase map works here as at any other forge.
 */
import { MusterError } from '../../domain/errors.ts'
import type { ForgeCheck, Pull, PullRef, Review } from '../../domain/forge.ts'
import type { Forge } from '../../ports/forge.ts'

/** Where the records are kept; written whole or not at all. */
interface Records {
  get(name: string): Promise<string | null>
  set(name: string, text: string): Promise<void>
}

interface LocalPull extends Pull {
  reviews: Review[]
}

/** `results`: what Muster itself found out about this commit of a task's. */
export function localForge(records: Records, results: (task: string, head: string) => Promise<ForgeCheck[]>): Forge {
  const nameOf = (id: string) => `pull:${id}`
  const find = async (id: string) => JSON.parse((await records.get(nameOf(id))) ?? 'null') as LocalPull | null
  const keep = async (pull: LocalPull) => {
    await records.set(nameOf(pull.id), JSON.stringify(pull))
    return pull
  }
  const get = async ({ id, url }: PullRef): Promise<LocalPull> => {
    const found = await find(id)
    if (found !== null) return found
    throw new MusterError('not_found', `the pull request ${url} no longer exists`, { hint: `muster show ${id}` })
  }
  return {
    name: 'Muster',
    place: 'local',
    lands: 'here',
    async ensure({ task, head, target: base }) {
      const found = await find(task)
      // What was merged is over; more work is another pull request. One that a person closed stays so.
      if (found !== null && (found.state !== 'merged' || found.head === head)) {
        const isOpen = found.state === 'draft' || found.state === 'open'
        return isOpen && found.head !== head ? keep({ ...found, head }) : found
      }
      const fresh = { state: 'draft' as const, head, base, mergedAs: null, blocked: false, reviews: [] }
      return keep({ id: task, url: `muster:pull/${encodeURIComponent(task)}`, ...fresh })
    },
    read: get,
    reviews: async (pull) => (await get(pull)).reviews,
    checks: async (pull, head) => ({ named: true, checks: await results((await get(pull)).id, head) }),
    async markReady(ref) {
      const pull = await get(ref)
      if (pull.state === 'closed') throw closed(pull)
      if (pull.state === 'draft') await keep({ ...pull, state: 'open' })
    },
    async merge(ref, { head, landed }) {
      const pull = await get(ref)
      if (pull.state === 'merged') return { kind: 'merged', commit: pull.mergedAs ?? head }
      if (pull.state === 'closed') return { kind: 'blocked', why: `${pull.url} is closed` }
      if (pull.state === 'draft') return { kind: 'blocked', why: `${pull.url} is a draft` }
      if (pull.head !== head) return { kind: 'moved' }
      const commit = landed ?? head
      await keep({ ...pull, state: 'merged', mergedAs: commit })
      return { kind: 'merged', commit }
    },
    async issues() {
      throw new MusterError('config', 'the local forge has no issues', {
        hint: 'set forge: in muster.yaml to where the issues are (docs/forge.md)',
      })
    },
    // Who looks at the record looks at Muster itself.
    status: async () => undefined,
    publish: async () => ({ kind: 'published' }),
    foreignHead: async () => null,
    meet: async () => null,
    follow: async () => ({ kind: 'landed' }),
    leave: () => undefined,
  }
}

function closed({ url }: Pull): MusterError {
  return new MusterError('gate_closed', `${url} is closed`, { hint: 'Muster does not reopen what a person closed' })
}
