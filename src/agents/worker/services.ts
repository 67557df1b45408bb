/**
 * The services of a run: their commands, their environment and the files they leave. Untrusted code wrote those files,
 * so Muster keeps only plain files, and they never improve a result.
 */
import { chmodSync, lstatSync, readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { formatDuration } from '../../domain/duration.ts'
import { serviceTailChars } from '../../domain/limits.ts'
import { portVariable, type Service } from '../../domain/service.ts'
import type { RunRequest } from '../../ports/runtime.ts'
import { resolveScripts } from '../../process/command.ts'
import { childEnvironment } from '../../process/environment.ts'
import { outputTail } from '../../process/log-read.ts'
import { serviceData, serviceLogs, serviceState, withServices } from '../../process/services.ts'
import { describeEnd, lines } from './end.ts'
import { filesNamedIn } from './sandbox-mounts.ts'
import { readVerdictFile } from './verdict-file.ts'
import type { ProcessEnd } from '../../process/record.ts'

type Environment = Readonly<Record<string, string>>

/** Of what only the run itself may know, such as its nonce, a service gets nothing. */
const SHARED = /^(?:MUSTER_(?:TASK_ID|ROLE|ATTEMPT|ROUND|RUN_ID|PORT\w*)|GIT_CONFIG_SYSTEM)$/
/** Others no shell can unset; most do not pass them on either. */
const VARIABLE = /^[A-Za-z_]\w*$/

/** How who asked for them finds them. */
export function portVariables(services: readonly Service[], ports: readonly number[]): Record<string, string> {
  return Object.fromEntries(services.map(({ name }, index) => [portVariable(name), String(ports[index])]))
}

/** The run's command with its services around it, and what that needs. `env`: the run's own. */
export function besideServices(
  { services = [], dir, resolved, projectRoot }: RunRequest,
  ports: readonly number[],
  command: readonly string[],
  env: Record<string, string>,
): { command: readonly string[]; env: Record<string, string>; readable: string[] } {
  if (services.length === 0) return { command, env, readable: [] }
  const all = { ...childEnvironment({ pass: services.flatMap((service) => service.env) }), ...env }
  const names = Object.keys(all).filter((name) => VARIABLE.test(name))
  const text = (run: string): string => (resolved === true ? run : resolveScripts(run, projectRoot))
  const started = services.map(({ name, run, ready, stop, timeoutMs, env: listed }, index) => {
    const own: Environment = childEnvironment({ pass: listed })
    return {
      name,
      port: ports[index] ?? 0,
      run: text(run),
      ready: ready === null ? null : text(ready),
      stop: stop === null ? null : text(stop),
      timeoutMs,
      without: names.filter((variable) => !Object.hasOwn(own, variable) && !SHARED.test(variable)),
    }
  })
  const others = names.filter((variable) => !Object.hasOwn(env, variable))
  const readable = services.flatMap(({ run, ready, stop }) =>
    [run, ready ?? '', stop ?? ''].flatMap((each) => filesNamedIn(each)),
  )
  return { command: withServices(started, command, dir, others), env: all, readable }
}

const saidCharsMax = 200
const LOGS = new Set(['log', 'log.tail.0', 'log.tail.1', 'said'])

/** Once the run is over: plain logs stay, everything else goes. Safe to repeat. */
export function tidyServices(dir: string): void {
  removeAll(serviceData(dir))
  for (const path of entriesOf(serviceLogs(dir))) {
    if (isFolder(path)) for (const file of entriesOf(path)) keepIf(LOGS.has(basename(file)), file)
    else keepIf(basename(path) === serviceState, path)
  }
}

const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** Of what is a folder, and no link to one; what was done to its rights does not keep anybody from looking. */
function entriesOf(folder: string): string[] {
  if (!isFolder(folder)) {
    rmSync(folder, { force: true })
    return []
  }
  chmodSync(folder, 0o700)
  return readdirSync(folder).map((name) => join(folder, name))
}

function keepIf(known: boolean, file: string): void {
  if (!known || !lstatSync(file).isFile()) removeAll(file)
}

/** Whatever was done to the rights of its folders. */
function removeAll(path: string): void {
  openFolders(path)
  rmSync(path, { recursive: true, force: true })
}

function openFolders(path: string): void {
  if (!isFolder(path)) return
  chmodSync(path, 0o700)
  for (const name of readdirSync(path)) openFolders(join(path, name))
}

/** Why the end of a run says nothing about the work, as far as its services are to blame; null if they are not. */
export async function serviceProblem(
  { services = [], dir, judge }: RunRequest,
  end: ProcessEnd,
): Promise<string | null> {
  if (services.length === 0) return null
  const state = await readVerdictFile(join(serviceLogs(dir), serviceState))
  const [, word, name, code] = /^(\w+)(?: (\S+))?(?: (\d+))?\s*$/.exec(state.kind === 'text' ? state.text : '') ?? []
  if (word === 'running') return null
  const service = services.find((one) => one.name === name)
  const exit = describeEnd({ code: Number(code), signal: null, timedOut: false, stopped: false }, 0)
  if (service === undefined) return 'Muster did not see its services start'
  switch (word) {
    case 'unready':
      return told(
        dir,
        service,
        `was not ready after ${formatDuration(service.timeoutMs)}: ${await unready(dir, service)}`,
      )
    case 'ended':
      return told(dir, service, `ended before it was ready (${exit})`)
    case 'lost':
      // An author may end what it has no more use for; what judges needs it to its end.
      if (end.stopped || end.timedOut || (!judge && end.code === 0)) return null
      return told(dir, service, `ended while the run needed it (${exit})`)
    default:
      return told(dir, service, 'was not ready when Muster stopped the run')
  }
}

async function unready(dir: string, { name, ready }: Service): Promise<string> {
  if (ready === null) return 'nothing listens on its port, MUSTER_PORT'
  const said = await readVerdictFile(join(serviceLogs(dir), name, 'said'))
  const last = (said.kind === 'text' ? said.text.trimEnd().split('\n').at(-1) : '')?.slice(0, saidCharsMax)
  return `\`${ready}\` did not exit with 0${last ? ` (it printed: ${last})` : ''}`
}

/** The first line alone has to do where people see no more of it. */
async function told(dir: string, { name }: Service, what: string): Promise<string> {
  const place = join(serviceLogs(dir), name)
  const tail = await outputTail(place, serviceTailChars).catch(() => '')
  const printed = tail.trim() === '' ? 'it printed nothing' : `the end of its output:\n${tail}`
  return lines(
    `service ${name} ${what}; its log: ${join(place, 'log')}`,
    printed,
    `fix services.${name} in muster.yaml`,
  )
}
