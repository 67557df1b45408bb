/**
 * Where this machine lets Muster create control groups (cgroups) that limit processes and memory: version 2 if a
 * writable group has the controllers, or the hierarchies of version 1. Found by trying, once per process.
 */
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { childEnvironment } from '../environment.ts'
import { lives, readStat } from '../group.ts'
import { runToEnd } from '../run.ts'

export const CONTROLLERS = ['pids', 'memory'] as const
export type Controller = (typeof CONTROLLERS)[number]

/** Groups that limit by this controller can be made in `base`. */
export interface Place {
  version: 1 | 2
  base: string
  /** What Muster's own group allows, if the new groups are beside it and not inside. */
  ceiling: number | null
}

/** A place, or why there is none. */
export type Places = Readonly<Record<Controller, Place | string>>

const probeTimeoutMs = 5000

let found: Promise<Places> | undefined

export function findPlaces(): Promise<Places> {
  found ??= tryAll()
  return found
}

async function tryAll(): Promise<Places> {
  const self = textOf('/proc/self/cgroup')
  const mounts = textOf('/proc/self/mountinfo')
  const place = async (controller: Controller): Promise<Place | string> => {
    let why = 'the system gives Muster no control groups'
    for (const candidate of candidatesFor(controller, self, mounts)) {
      const refused = await tryOut(controller, candidate)
      if (refused === null) return candidate
      why = refused
    }
    return why
  }
  return { pids: await place('pids'), memory: await place('memory') }
}

/** Muster's own group, then, where that can have no groups inside, the one above it. */
export function candidatesFor(controller: Controller, self: string, mounts: string): Place[] {
  const first = groupDir(self, mounts, (controllers) => controllers.split(',').includes(controller), controller)
  if (first !== null) return [{ version: 1, base: first.dir, ceiling: null }]
  const own = groupDir(self, mounts, (controllers) => controllers === '', null)
  if (own === null) return []
  const inside: Place = { version: 2, base: own.dir, ceiling: null }
  if (own.dir === own.top) return [inside]
  const ceiling = Number(textOf(join(own.dir, controller === 'pids' ? 'pids.max' : 'memory.max')).trim() || Number.NaN)
  return [inside, { version: 2, base: dirname(own.dir), ceiling: Number.isFinite(ceiling) ? ceiling : null }]
}

/** The folder of our group in a hierarchy, and the top of what is mounted of it. `option` names a mount of version 1. */
function groupDir(
  self: string,
  mounts: string,
  isIt: (controllers: string) => boolean,
  option: string | null,
): { dir: string; top: string } | null {
  const line = self.split('\n').find((each) => isIt(each.split(':')[1] ?? '-'))
  const path = line?.split(':').slice(2).join(':')
  for (const mount of path === undefined ? [] : mounts.split('\n')) {
    const [before = '', after = ''] = mount.split(' - ')
    const [, , , root = '', point = ''] = before.split(' ')
    const [type, , options = ''] = after.split(' ')
    const fits = option === null ? type === 'cgroup2' : type === 'cgroup' && options.split(',').includes(option)
    const below =
      root === '/' ? path : path === root ? '/' : path?.startsWith(`${root}/`) ? path.slice(root.length) : null
    if (fits && below != null) {
      const top = point.replaceAll(/\\([0-7]{3})/g, (_, octal: string) =>
        String.fromCodePoint(Number.parseInt(octal, 8)),
      )
      return { dir: join(top, below).replace(/(.)\/$/, '$1'), top }
    }
  }
  return null
}

/** Null: a process was put into a group with a limit there. */
async function tryOut(controller: Controller, place: Place): Promise<string | null> {
  const dir = join(place.base, groupName('probe'))
  try {
    // Only a group without processes of its own, or the topmost, takes this; others have it from whoever made them.
    if (place.version === 2 && place.ceiling === null)
      tryWrite(join(place.base, 'cgroup.subtree_control'), `+${controller}`)
    removeForgotten(place.base)
    mkdirSync(dir)
    setLimit(dir, controller, place.version, controller === 'pids' ? 4096 : 2 ** 30)
    const command = ['/bin/sh', '-c', enterText([dir])]
    const { code, stderr } = await runToEnd({ command, cwd: '/', env: childEnvironment(), timeoutMs: probeTimeoutMs })
    return code === 0 ? null : `${place.base}: ${stderr.trim()}`
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return `${place.base}: ${code ?? message}`
  } finally {
    removeGroup(dir)
  }
}

/** Shell text: whoever runs it is in the groups from then on, with all that it starts, or ends. */
export function enterText(dirs: readonly string[]): string {
  return dirs
    .map((dir) => `'${join(dir, 'cgroup.procs').replaceAll("'", `'\\''`)}'`)
    .map(
      (file) => `{ echo 0 >|${file}; } 2>/dev/null || { echo "cannot join the control group" ${file} >&2; exit 125; }`,
    )
    .join('\n')
}

/** Another process, which has started nothing yet. Nothing happens where that is not allowed. */
export function moveInto(dirs: readonly string[], pid: number): void {
  for (const dir of dirs) tryWrite(join(dir, 'cgroup.procs'), String(pid))
}

export function setLimit(dir: string, controller: Controller, version: 1 | 2, value: number): void {
  if (controller === 'pids') return writeFileSync(join(dir, 'pids.max'), String(value))
  if (version === 1) {
    writeFileSync(join(dir, 'memory.limit_in_bytes'), String(value))
    // Swap counts as well, where the kernel counts it.
    tryWrite(join(dir, 'memory.memsw.limit_in_bytes'), String(value))
    return
  }
  writeFileSync(join(dir, 'memory.max'), String(value))
  tryWrite(join(dir, 'memory.swap.max'), '0')
  // All of it ends at once: a run without one of its processes only looks as if it went on.
  tryWrite(join(dir, 'memory.oom.group'), '1')
}

/** Named after the process that makes it, so that it can be told when nobody needs it any more. */
export function groupName(what: string): string {
  return `muster-${process.pid}-${readStat(process.pid)?.startTime ?? 0}-${what}`
}

/** Groups of a Muster that was killed. One in which something still lives cannot be removed: its run's recovery ends that. */
function removeForgotten(base: string): void {
  for (const name of readdirSync(base)) {
    const [, pid, startTime = ''] = /^muster-(\d+)-(\d+)-/.exec(name) ?? []
    if (pid !== undefined && !lives({ pid: Number(pid), startTime })) removeGroup(join(base, name))
  }
}

/** False if it is still there. */
export function removeGroup(dir: string): boolean {
  try {
    rmdirSync(dir)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

export function tryWrite(file: string, text: string): void {
  try {
    writeFileSync(file, text)
  } catch {
    // Not every kernel has it, not every group may.
  }
}

export function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
