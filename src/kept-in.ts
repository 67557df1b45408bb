/** The sandbox of workers on this machine, in words for people: in notes before work starts, and in `doctor`. */
import { formatBytes } from './domain/bytes.ts'
import { keepsIn, type ProjectConfig, type SandboxConfig } from './domain/config.ts'
import { MusterError } from './domain/errors.ts'
import { runLimits } from './process/limits/fence.ts'
import { findPlaces, type Places } from './process/limits/groups.ts'
import { findSandbox, INSTALL_HINT } from './process/sandbox.ts'

const HINTS = {
  container: 'get the image with podman pull or docker pull, or fix sandbox in muster.yaml (docs/sandbox.md)',
  'sandbox-exec': 'remove it from muster.yaml, or choose another (docs/sandbox.md)',
}

/** A `config` error where the configuration requires more than there is. */
export async function describeSandbox(sandbox: SandboxConfig): Promise<string> {
  const { mode } = sandbox
  const { kind, why } = await findSandbox(sandbox)
  if (mode === 'container' || mode === 'sandbox-exec') {
    if (kind === 'container') return `container: ${why}`
    if (kind === 'sandbox-exec')
      return `sandbox-exec, which is untested, so it counts as no sandbox (unsandboxed): ${why}`
    throw new MusterError('config', `muster.yaml asks for ${mode}: ${why}`, { hint: HINTS[mode] })
  }
  if (kind === 'bubblewrap') return mode === 'off' ? `off in muster.yaml, though ${why}` : `bubblewrap: ${why}`
  if (mode === 'require') {
    throw new MusterError('config', `muster.yaml requires a sandbox: ${why}`, { hint: `install it: ${INSTALL_HINT}` })
  }
  if (mode === 'off') return 'off in muster.yaml'
  const what =
    kind === 'none'
      ? 'none, only a process group: a process that calls setsid outlives its run'
      : 'a pid namespace: no process outlives its run, but no file is hidden'
  return `${what} (unsandboxed)\n${why}\nfor a full sandbox: ${INSTALL_HINT}`
}

export async function isKeptIn(sandbox: SandboxConfig): Promise<boolean> {
  return sandbox.mode !== 'off' && keepsIn((await findSandbox(sandbox)).kind)
}

/** Null where agents are kept in. */
export async function sandboxNote({
  sandbox,
  decisions,
}: Pick<ProjectConfig, 'sandbox' | 'decisions'>): Promise<string | null> {
  // Where a container is asked for and does not work, nothing starts.
  if (sandbox.mode === 'container' || (await isKeptIn(sandbox))) return null
  const off = ['sandbox: off in muster.yaml', 'remove that line']
  if (sandbox.mode === 'sandbox-exec') {
    return `sandbox-exec is untested, so Muster asks for decisions as if there were no sandbox`
  }
  const [cause, mend] = sandbox.mode === 'off' ? off : [(await findSandbox(sandbox)).why, INSTALL_HINT]
  const scripted = decisions === 'scripted' ? ', and decide in your name (decisions: scripted in muster.yaml)' : ''
  return `agents run without a sandbox (${cause}): they can read and change everything that you can${scripted}. To sandbox them: ${mend}`
}

/** What a run may use here, and what of that nothing keeps it from. */
export async function describeLimits(
  chosen: SandboxConfig['limits'],
  places?: Places,
): Promise<{ text: string; kept: boolean }> {
  const { processes, memoryBytes, diskBytes } = runLimits(chosen ?? {})
  const { pids, memory } = places ?? (await findPlaces())
  const wanted = [
    ...(processes === null ? [] : [{ what: `${processes} processes`, place: pids }]),
    ...(memoryBytes === null ? [] : [{ what: `${formatBytes(memoryBytes)} of memory`, place: memory }]),
    ...(diskBytes === null ? [] : [{ what: `${formatBytes(diskBytes)} of disk`, place: null }]),
  ]
  const lost = wanted.filter(({ place }) => typeof place === 'string')
  const kept = wanted.filter(({ place }) => typeof place !== 'string').map(({ what }) => what)
  const text = kept.length === 0 ? 'runs have no limits' : `each run may use ${kept.join(', ')}`
  if (lost.length === 0) return { text, kept: true }
  const why = [...new Set(lost.map(({ place }) => place))].join('; ')
  const here = `the limit on ${lost.map(({ what }) => what).join(' and ')} is not enforced here (${why})`
  return {
    text: `${text}\n${here}\nto enforce it on a machine with systemd: systemd-run --user --scope muster …`,
    kept: false,
  }
}

/** Of two that are the same, a command finds the same programs. */
export async function sandboxKey(sandbox: SandboxConfig): Promise<string> {
  if (sandbox.mode !== 'container') return sandbox.mode
  return `container ${(await findSandbox(sandbox)).container?.image ?? ''}`
}

/** Layers are mounted where Muster starts a worker, and docker starts it elsewhere. */
export async function seesLayers(sandbox: SandboxConfig): Promise<boolean> {
  return sandbox.mode !== 'container' || (await findSandbox(sandbox)).container?.runtime !== 'docker'
}
