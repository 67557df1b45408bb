/** muster doctor: checks everything that Muster relies on, one by one, and says what to do about each problem. */
import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { channelProblems, commandProblems, databaseFile } from '../app.ts'
import { openReader, programChecks, readyForge, requireWhole } from '../app.ts'
import { configNotes } from '../config/role-notes.ts'
import { diskNote, lookAtFolder, requireDisk } from '../data-folder.ts'
import type { ProjectConfig, SandboxConfig } from '../domain/config.ts'
import { forDisplay } from '../domain/display.ts'
import { MusterError } from '../domain/errors.ts'
import { usesForge } from '../domain/forge.ts'
import { isUsable } from '../engine/jobs/prove.ts'
import { describeLimits, describeSandbox, isKeptIn } from '../kept-in.ts'
import type { Place } from '../project.ts'
import { findPlace, openProject, packageNotes, submoduleNotes } from '../project.ts'
import { carryOut, goldenHealth, mirrorHealth, repairsOf } from '../upkeep.ts'
import { gitVersion } from '../workspace/repository.ts'
import { pathNotes } from './check-paths.ts'
import type { Io } from './io.ts'
import { printJson } from './io.ts'
import { withWaitMessage } from './progress.ts'
import { prove, provenWords, seconds, setupHint } from './prove.ts'
import { countUnsaved, unsavedLine } from './unsaved.ts'

interface Finding {
  what: string
  ok: boolean
  /** It works, and somebody should know something. */
  warns?: true
  detail: string
  hint?: string | undefined
}

const freeBytesMin = 500 * 1024 * 1024

export async function doctor(io: Io, _: string[], options: Record<string, unknown>): Promise<number> {
  const findings: Finding[] = [await finding('git', checkGit)]
  let place: Place | null = null
  findings.push(
    await finding('repository', async () => {
      place = await findPlace(io.cwd, io.env)
      return place.repository.root
    }),
  )
  if (place !== null && options['repair'] === true) await repair(io, place)
  if (place !== null) findings.push(...(await withWaitMessage(io, 'looking', checkAll(io, place))))
  const sound = findings.every(({ ok }) => ok)
  const tried = options['try'] === false || !sound ? [] : await tryChecks(io)
  findings.push(...tried)
  const ok = findings.every((finding) => finding.ok)
  if (options['json'] === true) printJson(io, { ok, findings })
  else {
    for (const { ok, warns, what, detail, hint } of findings) {
      const mark = !ok ? io.paint.red('✗') : warns === true ? io.paint.yellow('!') : io.paint.green('✓')
      io.out(`${mark} ${what.padEnd(14)} ${detail.replaceAll('\n', '\n                 ')}\n`)
      if (!ok && hint !== undefined) io.out(`                 ${io.paint.dim(hint)}\n`)
    }
    io.say(`${ok ? wellWords(findings, tried.length > 0) : 'something needs fixing: see each ✗'}\n`)
  }
  return ok ? 0 : 1
}

/** Nothing is called well that nobody tried. */
function wellWords(findings: readonly Finding[], tried: boolean): string {
  const warned = findings.some(({ warns }) => warns === true)
  const untried = 'setup and checks were not run: muster doctor runs them'
  if (warned) return `ready, with warnings: see each !${tried ? '' : `; ${untried}`}`
  return tried ? 'no problems found' : `no problems found; ${untried}`
}

/** The setup and each check, on the head of the base. What was tried before, and depends on nothing that changed, is not run again. */
async function tryChecks(io: Io): Promise<Finding[]> {
  const project = await openProject(io.cwd, io.env)
  const tried = await prove(io, project)
  const untried = (detail: string): Finding[] => [{ what: 'checks', ok: true, warns: true, detail }]
  if (tried === null) return untried('not run: muster is at work here')
  const { setup, checks } = tried.proof
  const findings: Finding[] = checks.map((check) => ({
    what: check.name,
    ok: isUsable(check),
    ...(check.result === 'green' ? {} : { warns: true as const }),
    detail: `${provenWords(check)}${check.reused ? ', from an earlier run' : ''}`,
    hint: `fix it, or switch it off: checks: { ${check.name}: false }`,
  }))
  const first: Finding[] =
    setup === null
      ? []
      : [
          {
            what: 'setup',
            ok: setup.ok,
            detail: setup.ok ? seconds(setup.durationMs) : (setup.why ?? ''),
            hint: setupHint(setup.why ?? ''),
          },
        ]
  if (tried.stoppedAt !== null)
    return [...first, ...findings, ...untried(`stopped at ${tried.stoppedAt}: the rest were not run`)]
  if (setup?.ok !== false && checks.length === 0)
    return [...first, ...untried('none configured: Muster can verify only criteria about files')]
  return [...first, ...findings]
}

/** Says what it will do before it does it. */
async function repair(io: Io, place: Place): Promise<void> {
  const repairs = await withWaitMessage(io, 'looking', repairsOf(place))
  if (repairs.length === 0) return io.say('nothing to repair\n')
  for (const { what } of repairs) io.say(`to repair: ${forDisplay(what)}\n`)
  for (const done of await withWaitMessage(io, 'repairing', carryOut(place, repairs))) io.say(`${forDisplay(done)}\n`)
}

async function checkAll(io: Io, place: Place): Promise<Finding[]> {
  const configuration = await finding('configuration', async () => (await openProject(io.cwd, io.env)).configPath)
  const commands = () =>
    finding('commands', async () => {
      const project = await openProject(io.cwd, io.env)
      const problems = await commandProblems(project)
      if (problems.length > 0) throw new MusterError('config', problems.join('\n'), { hint: 'fix them in muster.yaml' })
      return `${[...Object.keys(project.config.agents), ...Object.keys(project.config.checks)].join(', ')} can start`
    })
  const project = configuration.ok ? await openProject(io.cwd, io.env) : null
  const notes = project === null ? [] : await submoduleNotes(project)
  const packages = project === null ? [] : await packageNotes(project)
  const paths = project === null ? [] : await pathNotes(project)
  const config = project?.config ?? null
  const sandbox = config?.sandbox ?? { mode: 'auto', home: [] }
  return [
    configuration,
    ...(configuration.ok ? [await commands()] : []),
    ...(config === null ? [] : [{ what: 'roles', ok: true, detail: roleLines(config).join('\n') }]),
    ...(await programs(config)),
    ...(notes.length > 0
      ? [{ what: 'submodules', ok: true, detail: notes.map((note) => forDisplay(note)).join('\n') }]
      : []),
    ...warnings('packages', packages),
    ...warnings('paths', paths),
    ...(config === null || config.notify.length === 0
      ? []
      : [await finding('notify', async () => channelLine(config, io))]),
    ...(config === null ? [] : await checkForge(io, config)),
    await checkSandbox(sandbox),
    await checkLimits(config?.sandbox.limits),
    await finding('data', () => checkData(place)),
    await finding('mirror', () => checkMirror(place)),
    ...(await checkGolden(place)),
    await finding('history', () => checkHistory(place)),
  ]
}

const warnings = (what: string, notes: readonly string[]): Finding[] =>
  notes.length === 0 ? [] : [{ what, ok: true, warns: true, detail: notes.map((note) => forDisplay(note)).join('\n') }]

async function checkSandbox(sandbox: SandboxConfig): Promise<Finding> {
  const found = await finding('sandbox', () => describeSandbox(sandbox))
  return found.ok && !(await isKeptIn(sandbox)) ? { ...found, warns: true } : found
}

async function checkLimits(limits: SandboxConfig['limits']): Promise<Finding> {
  const { text, kept } = await describeLimits(limits)
  return { what: 'limits', ok: true, detail: text, ...(kept ? {} : { warns: true }) }
}

/** Where notices go. */
function channelLine({ notify }: ProjectConfig, io: Io): string {
  const problems = channelProblems(notify, io.env)
  if (problems.length === 0) return notify.map(({ type, on }) => `${type} (${on.join(', ')})`).join('\n')
  throw new MusterError('config', problems.join('\n'), {
    hint: 'set the variable in the terminal that starts muster run or muster serve',
  })
}

/** Whether the forge could be asked at all. It is not asked here: looking needs no network. */
async function checkForge({ env }: Io, { forge, phases }: ProjectConfig): Promise<Finding[]> {
  const alone = usesForge(phases)
    ? ''
    : '\nthe phase map opens no pull requests; to open them, set phases: pull-request'
  const found = await finding('forge', async () => {
    const ready = readyForge(forge, env)
    return ready === null ? '' : `${ready}${alone}`
  })
  return found.ok && found.detail === '' ? [] : [found]
}

/** Who plays each role, where it is told what to do, and what somebody should know of it. */
function roleLines(config: ProjectConfig): string[] {
  const { agents, definitions = {} } = config
  const width = Math.max(...Object.keys(agents).map((role) => role.length))
  const lines = Object.entries(agents).map(([role, agent]) => {
    const program = agent.runtime === 'command' ? agent.run : [agent.runtime, agent.model ?? ''].join(' ').trim()
    const like = agent.like !== undefined ? ` (like the ${agent.like})` : ''
    return `${role.padEnd(width)}  ${program}${like} (definition: ${definitions[role]?.source ?? 'none'})`
  })
  return [...lines, ...configNotes(config).map((note) => `note: ${note}`)].map((line) =>
    forDisplay(line, { colours: false }),
  )
}

/** The agent programs that are configured, and those that could be. */
async function programs(config: ProjectConfig | null): Promise<Finding[]> {
  const findings = programChecks(config).map(async ({ name, check }) => {
    const found = await finding(name, async () => (await check()) ?? '')
    return found.ok && found.detail === '' ? [] : [found]
  })
  return (await Promise.all(findings)).flat()
}

async function finding(what: string, check: () => Promise<string>): Promise<Finding> {
  try {
    return { what, ok: true, detail: await check() }
  } catch (error) {
    if (!(error instanceof MusterError)) throw error
    return { what, ok: false, detail: error.message, hint: error.hint }
  }
}

async function checkGit(): Promise<string> {
  const [major, minor] = await gitVersion()
  if (major < 2 || (major === 2 && minor < 38)) {
    throw new MusterError('config', `git ${major}.${minor} is too old`, { hint: 'Muster needs git 2.38 or newer' })
  }
  return `${major}.${minor}`
}

async function checkData(place: Place): Promise<string> {
  const { dataDir } = place
  const nearest = lookAtFolder(dataDir)
  if (nearest === dataDir) await requireDisk(dataDir)
  const { bavail, bsize } = await statfs(nearest)
  const free = bavail * bsize
  const text = `${(free / 1024 ** 3).toFixed(1)} GB free in ${dataDir}`
  if (free < freeBytesMin) {
    throw new MusterError('storage', text, {
      hint: 'free some disk space for workspaces; muster clean shows what can be removed',
    })
  }
  // What is wrong with a store that cannot be read is told where its history is looked at.
  const notes = [await unsavedNote(place).catch(() => null), await diskNote(nearest)]
  return [text, ...notes.filter((note) => note !== null)].join('\n')
}

async function unsavedNote(place: Place): Promise<string | null> {
  const store = await openReader(place)
  try {
    return unsavedLine(await countUnsaved(store, place))
  } finally {
    await store.close()
  }
}

async function checkMirror(place: Place): Promise<string> {
  const { kept, damage } = await mirrorHealth(place)
  if (damage.length === 0) return kept === 0 ? 'empty so far' : `snapshots and branches: ${kept}, none missing`
  const [first = '', ...more] = damage
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`
  throw new MusterError('git', `the mirror is damaged: ${forDisplay(first)}${others}`, {
    hint: 'muster doctor --repair rebuilds it from your repository and what is left of it',
  })
}

/** Only where there are some. */
async function checkGolden(place: Place): Promise<Finding[]> {
  const { kept, damaged } = await goldenHealth(place)
  if (kept === 0) return []
  const check = async () => {
    if (damaged.length === 0)
      return `${kept} golden ${kept === 1 ? 'copy' : 'copies'}, unchanged since the setup made ${kept === 1 ? 'it' : 'them'}`
    throw new MusterError('storage', `golden/${damaged[0]} has changed since the setup made it`, {
      hint: 'muster doctor --repair removes it, and the setup makes a new one',
    })
  }
  return [await finding('golden copies', check)]
}

async function checkHistory(place: Place): Promise<string> {
  if (!existsSync(databaseFile(place))) return 'empty so far'
  const store = await openReader(place)
  try {
    await requireWhole(store, place, true)
    const { events, sealed, bad } = await store.verifyHistory()
    const some = sealed === 0 ? 'none of them' : sealed === events ? 'all of them' : `the last ${sealed}`
    if (events === 0) return 'empty so far'
    if (bad === null) return `${events} events, all intact, ${some} sealed`
    throw new MusterError('storage', `event ${bad.n} of ${bad.chain}: ${bad.what}`, {
      hint: 'the stored history was changed from outside; do not trust what it says about this task',
    })
  } finally {
    await store.close()
  }
}
