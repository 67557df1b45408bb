/**
 * The command that a check really runs, taken from the trusted side (DESIGN decision 6): a package script or make
 * target as the base defines it, a script file as the base has it, or the user's own if it is not committed yet. They
 * run on the judged tree and are never taken from it. A command that cannot be resolved runs unchanged and is reported
 * as `loose`.
 */
import { posix } from 'node:path'
import { isManager } from '../tools/packages.ts'
import { isInstalled, scriptWord } from '../tools/script-word.ts'
import { commandAt, firstWords, shellQuote, simpleCommands, type SimpleCommand, type Word } from '../tools/words.ts'
import { type Placed, type ScriptFile, scriptFile, type Trusted } from './script-file.ts'

export interface Resolved {
  /** Where it runs: a leading `cd x &&` is part of that. */
  cwd: string
  /** Comes before the command: what package scripts find on their PATH. */
  prefix: string
  command: string
  /** Trusted files for the checkout: the tree that is judged has something else in their place. */
  placed: readonly Placed[]
  /** Package scripts that it stands for, as `<package.json> <name>`. */
  scripts: readonly string[]
  /** Files whose content decides what is run. */
  files: readonly string[]
  /** Some package script or make target may decide too: nobody knows which. */
  loose: boolean
}

const depthMax = 5
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile']

/** `configured`: its scripts judge. In a command that a task's text names they are what is judged. */
export async function resolveCommand(
  run: string,
  within: string,
  trusted: Trusted,
  configured: boolean,
): Promise<Resolved> {
  const { cwd, rest } = leadingFolder(run, within)
  const found: Found = { scripts: new Set(), files: new Set(), placed: new Map(), loose: false }
  const scripts = await packageScripts(trusted, cwd)
  const { text } = await resolveList(rest, { cwd, trusted, configured, scripts, found, depth: 0 })
  const levels = cwd === '' ? 0 : cwd.split('/').length
  const bins = Array.from({ length: levels + 1 }, (_, up) => `$PWD/${'../'.repeat(up)}node_modules/.bin`)
  const prefix = found.scripts.size === 0 ? '' : `export PATH="${bins.join(':')}:$PATH"; `
  const placed = [...found.placed.values()]
  return {
    cwd,
    prefix,
    command: text,
    placed,
    scripts: [...found.scripts],
    files: [...found.files],
    loose: found.loose,
  }
}

interface Found {
  scripts: Set<string>
  files: Set<string>
  placed: Map<string, Placed>
  loose: boolean
}

interface Context {
  cwd: string
  trusted: Trusted
  configured: boolean
  scripts: ReadonlyMap<string, string>
  found: Found
  depth: number
}

/** `chain`: simple commands joined by && and pipes alone, which need no brackets where && joins them with others. */
interface Piece {
  text: string
  chain: boolean
}

function leadingFolder(run: string, cwd: string): { cwd: string; rest: string } {
  const [first, next] = simpleCommands(run) ?? []
  const [program, to] = first?.words ?? []
  const fits = first?.words.length === 2 && program?.text === 'cd' && first.joint === '&&' && next !== undefined
  const folder = fits ? folderBelow(cwd, to?.text ?? null) : null
  return folder === null || next === undefined ? { cwd, rest: run } : leadingFolder(run.slice(next.start), folder)
}

function folderBelow(cwd: string, path: string | null): string | null {
  if (path === null || posix.isAbsolute(path)) return null
  const folder = posix.normalize(posix.join(cwd, path)).replace(/\/$/, '')
  return folder.startsWith('..') ? null : folder === '.' ? '' : folder
}

async function resolveList(run: string, context: Context): Promise<Piece> {
  const commands = simpleCommands(run)
  if (commands === null || context.depth > depthMax) {
    context.found.loose = true
    return { text: run, chain: false }
  }
  const joints = new Set(commands.map(({ joint }) => joint))
  let chain = joints.isSubsetOf(new Set(['&&', '|', '']))
  let [text, moved] = ['', false]
  for (const command of commands) {
    const piece = moved ? asItIs(run, command) : await resolveOne(run, command, context)
    const bare = commands.length === 1 || isSimple(piece) || (piece.chain && joints.isSubsetOf(new Set(['&&', ''])))
    text += `${bare ? piece.text : `( ${piece.text} )`}${JOINTS[command.joint] ?? ''}`
    chain &&= bare && piece.chain
    // Behind a change of folder nobody knows which package or script is meant.
    moved ||= command.words[commandAt(command.words)]?.text === 'cd'
    if (moved) context.found.loose = true
  }
  return { text, chain }
}

const JOINTS: Readonly<Record<string, string>> = { '&&': ' && ', '||': ' || ', '|': ' | ', ';': '; ' }
const asItIs = (run: string, { start, end }: SimpleCommand): Piece => ({ text: run.slice(start, end), chain: true })
const isSimple = ({ text, chain }: Piece): boolean => chain && simpleCommands(text)?.length === 1

async function resolveOne(run: string, { words, start, end }: SimpleCommand, context: Context): Promise<Piece> {
  const text = run.slice(start, end)
  const [first, at] = [commandAt(words), behindOthers(words)]
  const [program, ...args] = words.slice(at)
  if (program?.text == null) {
    context.found.loose = true
    return { text, chain: true }
  }
  const script = scriptOf(program.text, args)
  const body = script === null ? undefined : context.scripts.get(script.name)
  if (script !== null && body !== undefined) {
    const before = run.slice(start, program.start).trim()
    const after = run.slice(words.at(-1)?.end ?? end, end)
    const piece = await ofScript(script, body, context)
    // Behind another program there can be a program alone: no assignment, and no list.
    if (at > first && (!isSimple(piece) || commandAt(firstWords(piece.text)) > 0)) {
      context.found.loose = true
      return { text, chain: true }
    }
    return around(before, piece, after)
  }
  if (words.some((word) => isManager(word.text ?? ''))) context.found.loose = true
  const replaced =
    program.text === 'make'
      ? await ofMake(program, args, context)
      : await ofScriptFile(scriptWord(words.slice(at)), context)
  if (replaced === null) return { text, chain: true }
  return { text: run.slice(start, replaced.from) + replaced.text + run.slice(replaced.to, end), chain: true }
}

/** Programs that run the command behind them as it is, with the words that may come between. */
const PASS_ON: Readonly<Record<string, RegExp>> = {
  env: /^[A-Za-z_]\w*=/,
  'cross-env': /^[A-Za-z_]\w*=/,
  nice: /^(?:-n|-?\d+|-n\d+)$/,
  timeout: /^(?:-[sk]\S+|--(?:foreground|preserve-status|signal=\S+|kill-after=\S+)|[\d.]+[smhd]?)$/,
  'xvfb-run': /^(?:-a|--auto-servernum|--)$/,
}

/** Where the command begins that such programs run, one behind the other; else where the command itself does. */
function behindOthers(words: readonly Word[]): number {
  const first = commandAt(words)
  let at = first
  for (;;) {
    const text = words[at]?.text ?? ''
    const between = Object.hasOwn(PASS_ON, text) ? PASS_ON[text] : undefined
    if (between === undefined) return text === '' || text.startsWith('-') ? first : at
    at += 1
    while (between.test(words[at]?.text ?? '')) at += 1
  }
}

/** With the assignments and redirections that stood around the command it was. */
function around(before: string, piece: Piece, after: string): Piece {
  if (isSimple(piece)) return { text: `${before === '' ? '' : `${before} `}${piece.text}${after}`, chain: true }
  if (before === '' && after === '') return piece
  return { text: `( ${before === '' ? '' : `export ${before}; `}${piece.text} )${after}`, chain: false }
}

interface Script {
  name: string
  args: string[]
}

/** `npm test`, `npm run x -- a`, `pnpm x`, `yarn run x`, `bun run x`; null for anything else. */
function scriptOf(program: string, args: readonly Word[]): Script | null {
  const texts = args.map(({ text }) => text).filter((text) => text !== '-s' && text !== '--silent')
  if (!isManager(program) || texts.includes(null)) return null
  const [verb = '', ...rest] = texts as string[]
  const dashes = rest.indexOf('--')
  const [own, behind] = dashes < 0 ? [rest, []] : [rest.slice(0, dashes), rest.slice(dashes + 1)]
  // Options of npm's own may mean other packages; the others pass everything on.
  if (program === 'npm' && own.some((word) => word.startsWith('-'))) return null
  const words = [...own, ...behind]
  if (verb === 'run' || verb === 'run-script') {
    const [name, ...more] = words
    return name === undefined || name.startsWith('-') ? null : { name, args: more }
  }
  if (verb === 'test' || verb === 't') return program === 'bun' ? null : { name: 'test', args: words }
  const isScript = (program === 'pnpm' || program === 'yarn') && verb !== '' && !verb.startsWith('-')
  return isScript ? { name: verb, args: words } : null
}

/** As the package manager would: the scripts before and after it too, each stopping the rest when it fails. */
async function ofScript({ name, args }: Script, body: string, context: Context): Promise<Piece> {
  const { scripts, found, cwd } = context
  const steps: Piece[] = []
  for (const each of [`pre${name}`, name, `post${name}`]) {
    found.scripts.add(`${posix.join(cwd, 'package.json')} ${each}`)
    const text = each === name ? body : scripts.get(each)
    if (text === undefined) continue
    const more = each === name ? args.map((arg) => ` ${shellQuote(arg)}`).join('') : ''
    steps.push(await resolveList(`${text}${more}`, { ...context, configured: true, depth: context.depth + 1 }))
  }
  const [only] = steps
  if (steps.length === 1 && only !== undefined) return only
  const text = steps.map((step) => (step.chain ? step.text : `( ${step.text} )`)).join(' && ')
  return { text, chain: steps.every((step) => step.chain) }
}

interface Replaced {
  from: number
  to: number
  text: string
}

/** The base's makefile, whatever others lie beside it now. What its recipes run is the tree's, but not unseen. */
async function ofMake(program: Word, args: readonly Word[], context: Context): Promise<Replaced | null> {
  const { cwd, trusted, found } = context
  if (args.some(({ text }) => text === null || /^-[fC]|^--(?:file|directory|makefile)/.test(text))) {
    found.loose = true
    return null
  }
  const paths = MAKEFILES.map((name) => posix.join(cwd, name))
  for (const path of paths) found.files.add(path)
  for (const path of paths) {
    const file = await scriptFile(path, trusted)
    if (file === null) continue
    for (const name of namedIn(file)) found.files.add(posix.join(cwd, name))
    if (!paths.some((each) => trusted.changed(each)) && file.placed === null) return null
    if (file.placed !== null) found.placed.set(file.placed.path, file.placed)
    const place = posix.relative(cwd, file.placed?.path ?? path)
    return { from: program.end, to: program.end, text: ` -f ${shellQuote(place)}` }
  }
  return null
}

async function ofScriptFile(word: Word | undefined, context: Context): Promise<Replaced | null> {
  if (word?.text == null || posix.isAbsolute(word.text)) return null
  const { cwd, trusted, found, configured } = context
  const path = posix.normalize(posix.join(cwd, word.text))
  if (path.startsWith('../') || isInstalled(path) || (!configured && !isJudgeLike(path))) return null
  const file = await scriptFile(path, trusted)
  if (file === null) return null
  for (const name of [path, file.path, ...namedIn(file).map((name) => posix.join(cwd, name))]) found.files.add(name)
  if (file.placed === null || !configured) return null
  found.placed.set(file.placed.path, file.placed)
  const place = posix.isAbsolute(file.placed.path) ? file.placed.path : `./${posix.relative(cwd, file.placed.path)}`
  return { from: word.start, to: word.end, text: shellQuote(place) }
}

/** A task's own words may name a program, which is its work, or something that sounds like a judge. */
const isJudgeLike = (path: string): boolean =>
  /\.(?:ba|z|k|da)?sh$|(?:^|[/._-])(?:check|verify|lint|ci|smoke)/i.test(path)

/** Scripts that lines of a makefile or shell script name. */
function namedIn({ path, text }: ScriptFile): string[] {
  if (/\.(?:[cm]?[jt]sx?|py|rb|pl)$/.test(path)) return []
  return text.split('\n').flatMap((line) => {
    const commands = simpleCommands(line.replace(/^\t?[@+-]*/, '').trim()) ?? []
    const included = /^-?include\s+(\S+)$/.exec(line.trim())?.[1]
    const names = commands.map(({ words }) => scriptWord(words)?.text)
    return [included, ...names].filter(
      (name) => name != null && !posix.isAbsolute(name) && !name.startsWith('..'),
    ) as string[]
  })
}

async function packageScripts({ read }: Trusted, cwd: string): Promise<Map<string, string>> {
  const text = await read(posix.join(cwd, 'package.json'))
  try {
    const { scripts } = JSON.parse(text ?? '{}') as { scripts?: Record<string, unknown> }
    return new Map(
      Object.entries(scripts ?? {}).flatMap(([name, body]) =>
        typeof body === 'string' && body.trim() !== '' ? [[name, body]] : [],
      ),
    )
  } catch {
    return new Map()
  }
}
