/** What keeps workers in on this machine, in words for people: what they read before work starts, and when they ask. */
import type { ProjectConfig, SandboxConfig } from './domain/config.ts'
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

export async function isKeptIn(mode: SandboxConfig['mode']): Promise<boolean> {
  return mode !== 'off' && (await findSandbox()).kind === 'bubblewrap'
}

/** Null where agents are kept in. */
export async function sandboxNote({
  sandbox: { mode },
  decisions,
}: Pick<ProjectConfig, 'sandbox' | 'decisions'>): Promise<string | null> {
  if (await isKeptIn(mode)) return null
  const off = ['sandbox: off in muster.yaml', 'take that out']
  const [cause, mend] = mode === 'off' ? off : [(await findSandbox()).why, INSTALL_HINT]
  const scripted = decisions === 'scripted' ? ', and decide in your name (decisions: scripted in muster.yaml)' : ''
  return `agents are not kept in (${cause}): they can read and change whatever you can${scripted}. To keep them in: ${mend}`
}
