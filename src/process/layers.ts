/**
 * An overlay mount: a folder that shows another one and stores changes in its own place. Each process that needs it
 * mounts it again in its own mount namespace. Nothing stays mounted, so a crash leaves nothing to clean up. The
 * changes, and the note about the folder below, are stored elsewhere, because an agent could forge them inside.
 */
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { readDurable, writeDurably } from '../durable.ts'
import { childEnvironment } from './environment.ts'
import { runToEnd } from './run.ts'

const probeTimeoutMs = 5000

/**
 * Without redirect_dir a folder of the lower layer could not be renamed, and agents do that. Whoever may not ask for it
 * (everybody but root) gets copies instead.
 */
const MOUNT = `mount -t overlay overlay -o "$1" "$2" && cd "$2" && shift 2 && exec "$@"`

/** What it lies on, what was written to it, and the kernel's own scratch space: in a folder beside all workspaces. */
export const layersOf = (dir: string): string => join(dirname(dirname(dir)), 'layers', basename(dir))
const noteOf = (dir: string): string => join(layersOf(dir), 'note.json')
/** Where files written from outside have to go to be seen inside. */
export const upperOf = (dir: string): string => join(layersOf(dir), 'upper')

/** Lays `dir`, which must not exist, over `lower`. */
export async function makeLayers(dir: string, lower: string): Promise<void> {
  for (const folder of [dir, upperOf(dir), join(layersOf(dir), 'work')]) mkdirSync(folder, { recursive: true })
  await writeDurably(noteOf(dir), { lower })
}

/** What a folder lies on, or null if it is a plain one. */
export function lowerOf(dir: string): string | null {
  const lower = readDurable(noteOf(dir))?.['lower']
  return typeof lower === 'string' ? lower : null
}

/** Where what was written to a folder is to be seen from out here. */
export const writtenIn = (dir: string): string => (lowerOf(dir) === null ? dir : upperOf(dir))

/** The words before a command that has to see the folder as it is; none for a plain folder. */
export function layersPrefix(dir: string): string[] {
  const lower = lowerOf(dir)
  if (lower === null) return []
  const [upper, work] = [upperOf(dir), join(layersOf(dir), 'work')]
  const options = `lowerdir=${lower},upperdir=${upper},workdir=${work},redirect_dir=on`
  return ['unshare', '--mount', '/bin/sh', '-c', MOUNT, 'sh', options, dir]
}

const tried = new Map<string, Promise<boolean>>()

/** Whether folders below `place` can be layered: tried once, because kernels and containers refuse in many ways. */
export function canLayer(place: string): Promise<boolean> {
  const known = tried.get(place) ?? tryLayers(place)
  tried.set(place, known)
  return known
}

async function tryLayers(place: string): Promise<boolean> {
  // These would need quoting inside the mount's options.
  if (process.platform !== 'linux' || /[,:\\]/.test(place)) return false
  const dir = join(place, `.layers-${process.pid}`)
  const [lower, over] = [join(dir, 'lower'), join(dir, 'workspaces', 'over')]
  try {
    mkdirSync(join(lower, 'folder'), { recursive: true })
    await makeLayers(over, lower)
    const command = [...layersPrefix(over), '/bin/sh', '-c', 'mv folder renamed']
    const ended = await runToEnd({ command, cwd: '/', env: childEnvironment(), timeoutMs: probeTimeoutMs })
    return ended.code === 0 && existsSync(join(upperOf(over), 'renamed')) && existsSync(join(lower, 'folder'))
  } catch {
    return false
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
