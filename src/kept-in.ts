/** What keeps workers in on this machine, in words for people: what they read before work starts, and when they ask. */
import type { SandboxConfig } from './domain/config.ts'
import { MusterError } from './domain/errors.ts'
import { findSandbox, INSTALL_HINT } from './process/sandbox.ts'

/** A `config` error where the configuration requires more than there is. */
export async function describeSandbox(mode: SandboxConfig['mode']): Promise<string> {
  const { kind, why } = await findSandbox()
  if (kind === 'bubblewrap') return mode === 'off' ? `off in muster.yaml, though ${why}` : `bubblewrap: ${why}`
  if (mode === 'require') {
    throw new MusterError('config', `muster.yaml requires a sandbox: ${why}`, { hint: `install it: ${INSTALL_HINT}` })
  }
  if (mode === 'off') return 'off in muster.yaml'
  const what =
    kind === 'none'
      ? 'none, a process group only: what calls setsid outlives its run'
      : 'pid namespace: nothing outlives a run, no file is hidden'
  return `${what} (unsandboxed)\n${why}\nfor more: ${INSTALL_HINT}`
}

/** Null where agents are kept in. */
export async function sandboxNote(mode: SandboxConfig['mode']): Promise<string | null> {
  const { kind, why } = await findSandbox()
  if (kind === 'bubblewrap' && mode !== 'off') return null
  const [cause, mend] = mode === 'off' ? ['sandbox: off in muster.yaml', 'take that out'] : [why, INSTALL_HINT]
  return `agents are not kept in (${cause}): they can read and change whatever you can, and decide in your name. To keep them in: ${mend}`
}
