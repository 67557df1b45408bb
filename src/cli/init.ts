/** muster init: detects what the repository has, runs it on the base, and writes a muster.yaml with the results. */
import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { installedPrograms, knownToShell } from '../app.ts'
import { CHOICES, copyCandidates, detectProject } from '../config/detect.ts'
import { configText, type Detected, type InitAgent, type Seen } from '../config/init.ts'
import { isTestCheck } from '../tools/checks.ts'
import { MusterError } from '../domain/errors.ts'
import { howToGet } from '../tools/get-tool.ts'
import { isManager } from '../tools/packages.ts'
import { programOf } from '../tools/words.ts'
import { isUsable, type Proof } from '../engine/jobs/prove.ts'
import { CONFIG_NAME, findPlace, openProject, textOf } from '../project.ts'
import { branches, defaultBranch, filesOf } from '../workspace/repository.ts'
import type { Io } from './io.ts'
import { oneLine, printJson } from './io.ts'
import { prove, provenWords, seconds, setupHint } from './prove.ts'

export async function init(io: Io, _: string[], options: Record<string, unknown>): Promise<void> {
  const { repository, configPath } = await findPlace(io.cwd, io.env)
  const path = configPath ?? join(repository.root, CONFIG_NAME)
  if (existsSync(path) && options['force'] !== true) {
    throw new MusterError('conflict', `${path} already exists`, {
      hint: 'edit it, or replace it with: muster init --force',
    })
  }
  const base = (await defaultBranch(repository)) ?? 'main'
  const command = typeof options['agent'] === 'string' ? options['agent'] : null
  const [agent = null, ...others] = command === null ? await knownAgents(io) : [{ title: '', run: command, env: [] }]
  const files = await filesOf(repository)
  const read = (name: string) => textOf(join(repository.root, name))
  const known = [...MANAGERS, ...CHOICES]
  const here = await knownToShell(known, '/')
  const found = detectProject(files, read, (program) => here.has(program) || !known.includes(program))
  const { setup, needs, checks, places, notes } = found
  const copy = copyCandidates(await filesOf(repository, true), files, read)
  const detected: Detected = {
    base,
    agent,
    others,
    setup,
    checks,
    places,
    copy,
    schema: schemaFor(dirname(path), options['schema'] === true),
  }
  await writeFile(path, configText(detected))
  const missing = await missingPrograms([
    ...needs,
    ...Object.values(checks)
      .map(programOf)
      .filter((name) => !isManager(name)),
  ])
  const json = options['json'] === true
  if (!json) tellFound(io, path, detected, [...notes, ...missing])
  const hasBase = (await branches(repository)).includes(base)
  const tried = options['try'] === false || !hasBase ? null : await attempt(io, path, detected)
  if (json) return printJson(io, { path, base, agent, setup, checks, places, copy, notes, missing, tried })
  if (tried !== null) for (const line of triedLines(tried)) io.say(`${line}\n`)
  if (!Object.keys(checks).some(isTestCheck)) io.say(NO_TESTS)
  else if (tried !== null && noTestsNow(tried)) io.say(NO_TESTS_NOW)
  io.say(`next: ${nextStep(tried, options['try'] === false)}\n`)
}

function tellFound(io: Io, path: string, detected: Detected, notes: readonly string[]): void {
  const { base, agent, setup, checks, places = {}, copy = [] } = detected
  io.say(`wrote ${path}\n  base    ${base}\n  agent   ${agentLine(agent)}\n`)
  if (setup !== null) io.say(`  setup   ${setup}\n`)
  for (const [name, run] of Object.entries(checks)) {
    const where = places[name] === undefined ? '' : ` (in ${oneLine(places[name].cwd)})`
    io.say(`  check   ${name}: ${oneLine(run)}${where}\n`)
  }
  for (const note of notes) io.say(`  note    ${oneLine(note, 400)}\n`)
  if (copy.length > 0)
    io.say(`  note    git ignores ${copy.join(', ')}; if tests read these files, list them under copy:\n`)
}

const MANAGERS = ['pnpm', 'yarn', 'bun', 'npm', 'npx']

const NO_TESTS = `no test command was found. Muster can verify criteria about files and your other checks, but not whether the code works:
a checker or you must decide that. To let Muster run your tests, set in muster.yaml: checks: { unit-test: <command> }
`

const NO_TESTS_NOW = `no test command works here yet, so Muster runs no tests. Fix the problem above, put the command back in muster.yaml in
place of "false", then run muster doctor. Until then, a checker or you must decide whether the code works
`

function noTestsNow({ setup, checks }: Proof): boolean {
  const tests = checks.filter(({ name }) => isTestCheck(name))
  return setup?.ok !== false && tests.length > 0 && !tests.some(isUsable)
}

/** Tries it and writes down what was seen; null if nothing could be tried. */
async function attempt(io: Io, path: string, detected: Detected): Promise<Proof | null> {
  const project = await openProject(io.cwd, io.env)
  const tried = await prove(io, project, { takeApart: true })
  if (tried === null) {
    io.say('setup and checks were not run: muster is at work here. Run muster doctor later\n')
    return null
  }
  const { setup, checks } = tried.proof
  const seen: Record<string, Seen> = {}
  if (setup !== null)
    seen['setup'] = {
      words: setup.ok ? seconds(setup.durationMs) : (setup.why ?? 'it failed'),
      usable: setup.ok,
    }
  for (const check of checks) {
    seen[check.name] = { words: provenWords(check), usable: isUsable(check) }
    if (check.leftOf !== undefined) detected.checks[check.name] = check.command
  }
  await writeFile(path, configText({ ...detected, seen }))
  if (tried.stoppedAt !== null) {
    io.say(`stopped at ${tried.stoppedAt}: muster.yaml has the rest untested. A check must end by itself\n`)
  }
  return tried.proof
}

function triedLines({ setup, checks }: Proof): string[] {
  const first =
    setup === null ? [] : [setup.ok ? `✓ setup, ${seconds(setup.durationMs)}` : `✗ setup: ${oneLine(setup.why ?? '')}`]
  const rest = checks.map((check) => {
    const mark = check.result === 'green' ? '✓' : isUsable(check) ? '!' : '✗'
    return `${mark} ${check.name}: ${provenWords(check)}`
  })
  return [...first, ...rest]
}

function nextStep(tried: Proof | null, skipped: boolean): string {
  if (tried?.setup?.ok === false) return `${setupHint(tried.setup.why ?? '')}, then muster doctor`
  if (tried === null && !skipped) return 'muster doctor, then muster run "what should be done"'
  return skipped
    ? 'muster doctor to test the setup and checks, then muster run "what should be done"'
    : 'muster run "what should be done"'
}

async function missingPrograms(names: readonly string[]): Promise<string[]> {
  const plain = [...new Set(names)].filter((name) => /^[\w.-]+$/.test(name))
  const here = await knownToShell(plain, '/')
  return plain
    .filter((name) => !here.has(name))
    .map((name) => {
      const how = howToGet(name)
      return `${name} is not on this machine${how === null ? '' : `: ${how}`}`
    })
}

const agentLine = (agent: InitAgent | null): string =>
  agent === null
    ? 'none found: set agents.implementer.run'
    : 'run' in agent
      ? agent.run
      : `${agent.title} (runtime ${agent.runtime})`

async function knownAgents(io: Io): Promise<InitAgent[]> {
  const programs = await installedPrograms(io.env)
  return programs.map(({ runtime, title, key }) => ({ runtime, title, env: key === null ? [] : [key] }))
}

const INSTALLED = 'node_modules/passmuster/muster.schema.json'
const COPY = '.muster/muster.schema.json'

/**
 * What an editor explains the file by, as a path that means the same on every machine: the one of the package that the
 * project installs, or a copy beside the file, if somebody asks for it.
 */
function schemaFor(folder: string, wanted: boolean): string | null {
  if (existsSync(join(folder, INSTALLED))) return `./${INSTALLED}`
  if (!wanted) return null
  const up = import.meta.url.endsWith('.ts') ? '../../' : '../'
  mkdirSync(join(folder, '.muster'), { recursive: true })
  copyFileSync(new URL(`${up}muster.schema.json`, import.meta.url), join(folder, COPY))
  return `./${COPY}`
}
