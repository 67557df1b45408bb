/**
 * What a configured command really runs, taken from the trusted side (DESIGN decision 6): a package script or make target
 * is what the base defines, a script file is the base's, or the user's own while it is not committed. The tree that is
 * judged is what they run on, never what they are.
 */
import { posix } from 'node:path'
import { firstWords, isAssignment, shellQuote, type Word } from '../domain/words.ts'

/** What the trusted side has. */
export interface Trusted {
  /** A file of the attempt base by its path; null when it has none. */
  read(path: string): Promise<string | null>
  /** The user's own file of that path, by its whole path; null when there is none. */
  own(path: string): string | null
  /** A copy of a trusted text that can be run, by its whole path. */
  place(path: string, text: string): Promise<string>
}

export interface Resolved {
  /** Comes before the command: what package scripts find on their PATH. */
  prefix: string
  command: string
  /** Trusted copies that it names by their whole path. */
  placed: readonly string[]
  /** Package scripts by name, as the base has them. */
  scripts: readonly string[]
  /** Files whose content decides what is run. */
  files: readonly string[]
}

const depthMax = 5
const INTERPRETERS = /^(?:sh|bash|dash|zsh|ksh|node|tsx|bun|deno|python[\d.]*|ruby|perl)$/
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile']

export async function resolveCommand(run: string, cwd: string, trusted: Trusted): Promise<Resolved> {
  const found = { scripts: new Set<string>(), files: new Set<string>(), placed: new Set<string>() }
  const scripts = await packageScripts(trusted, cwd)
  const command = await resolveAll(run, { cwd, trusted, scripts, found, depth: 0 })
  const levels = cwd === '' ? 0 : cwd.split('/').length
  const bins = Array.from({ length: levels + 1 }, (_, up) => `$PWD/${'../'.repeat(up)}node_modules/.bin`)
  const prefix = found.scripts.size === 0 ? '' : `export PATH="${bins.join(':')}:$PATH"; `
  return { prefix, command, placed: [...found.placed], scripts: [...found.scripts], files: [...found.files] }
}

interface Context {
  cwd: string
  trusted: Trusted
  scripts: ReadonlyMap<string, string>
  found: { scripts: Set<string>; files: Set<string>; placed: Set<string> }
  depth: number
}

/** Commands joined by && are resolved one by one; what only the shell can take apart stays as it is. */
async function resolveAll(run: string, context: Context): Promise<string> {
  const parts = run.split('&&')
  const plain = parts.map((part) => plainWords(part))
  if (plain.some((words) => words === null)) return run
  const resolved = await Promise.all(parts.map((part, index) => resolveOne(part.trim(), plain[index] ?? [], context)))
  return resolved.join(' && ')
}

/** The words of one plain command; null if there is more to it. */
function plainWords(command: string): Word[] | null {
  const words = firstWords(command)
  const rest = command.slice(words.at(-1)?.end ?? 0)
  return words.length === 0 || rest.trim() !== '' ? null : words
}

async function resolveOne(command: string, given: readonly Word[], context: Context): Promise<string> {
  const words = firstWords(command)
  const at = words.findIndex(({ text }) => text === null || !isAssignment(text))
  const [program, ...args] = words.slice(Math.max(at, 0))
  if (program?.text == null || given.length === 0) return command
  const script = scriptOf(program.text, args)
  const text = script === null ? undefined : context.scripts.get(script.name)
  if (script !== null && text !== undefined && context.depth < depthMax) {
    return ofScript(command.slice(0, program.start), script, text, context)
  }
  if (program.text === 'make') return ofMake(command, program, args, context)
  const file = program.text.includes('/') ? program : INTERPRETERS.test(program.text) ? args.find(isFile) : undefined
  return file === undefined ? command : ofFile(command, file, context)
}

const isFile = ({ text }: Word): boolean => text !== null && /^[^-].*[./]/.test(text)

interface Script {
  name: string
  args: string[]
}

/** `npm test`, `npm run x -- a`, `pnpm x`, `yarn run x`, `bun run x`; null for anything else. */
function scriptOf(program: string, args: readonly Word[]): Script | null {
  if (!/^(?:npm|pnpm|yarn|bun)$/.test(program)) return null
  const texts = args.map(({ text }) => text).filter((text) => text !== '-s' && text !== '--silent')
  if (texts.includes(null)) return null
  const [verb, ...rest] = texts as string[]
  const behind = (more: string[]): string[] => (more[0] === '--' ? more.slice(1) : program === 'npm' ? [] : more)
  if (verb === 'run' || verb === 'run-script') {
    const [name, ...more] = rest
    return name === undefined ? null : { name, args: behind(more) }
  }
  if (verb === 'test' || verb === 't') return program === 'bun' ? null : { name: 'test', args: behind(rest) }
  if (program === 'npm' || program === 'bun' || verb === undefined) return null
  return { name: verb, args: rest }
}

/** As the package manager would: with what its packages install on the PATH, and the scripts before and after. */
async function ofScript(before: string, { name, args }: Script, text: string, context: Context): Promise<string> {
  const { scripts, found } = context
  const steps: string[] = []
  for (const each of [`pre${name}`, name, `post${name}`]) {
    const body = each === name ? text : scripts.get(each)
    if (body === undefined) continue
    found.scripts.add(each)
    const more = each === name && args.length > 0 ? ` ${args.map(shellQuote).join(' ')}` : ''
    steps.push(await resolveAll(`${body}${more}`, { ...context, depth: context.depth + 1 }))
  }
  return `${before}${steps.join(' && ')}`
}

async function ofMake(command: string, program: Word, args: readonly Word[], context: Context): Promise<string> {
  if (args.some(({ text }) => text === null || /^-[fC]|^--(?:file|directory)/.test(text))) return command
  for (const name of MAKEFILES) {
    const path = posix.join(context.cwd, name)
    const text = await context.trusted.read(path)
    const place = text === null ? context.trusted.own(path) : await context.trusted.place(path, text)
    if (place === null) continue
    context.found.files.add(path)
    context.found.placed.add(place)
    return `${command.slice(0, program.end)} -f ${shellQuote(place)}${command.slice(program.end)}`
  }
  return command
}

async function ofFile(command: string, word: Word, context: Context): Promise<string> {
  const path = posix.normalize(posix.join(context.cwd, word.text ?? ''))
  if (posix.isAbsolute(word.text ?? '') || path.startsWith('../')) return command
  // What a package installed is not the project's.
  if (/(?:^|\/)node_modules\//.test(path)) return command
  const text = await context.trusted.read(path)
  const place = text === null ? context.trusted.own(path) : await context.trusted.place(path, text)
  if (place === null) return command
  context.found.files.add(path)
  context.found.placed.add(place)
  return `${command.slice(0, word.start)}${shellQuote(place)}${command.slice(word.end)}`
}

async function packageScripts({ read }: Trusted, cwd: string): Promise<Map<string, string>> {
  const text = await read(posix.join(cwd, 'package.json'))
  try {
    const { scripts } = JSON.parse(text ?? '{}') as { scripts?: Record<string, unknown> }
    return new Map(
      Object.entries(scripts ?? {}).flatMap(([name, body]) => (typeof body === 'string' ? [[name, body]] : [])),
    )
  } catch {
    return new Map()
  }
}
