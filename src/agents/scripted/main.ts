/**
 * The scripted agent, a program of its own for demos and tests: `node scripted-agent.js <script.json>` does for its
 * task and attempt what the script says. Depends on nothing but Node and the environment that Muster gives a worker.
 */
import { lstatSync, mkdirSync, readFileSync, realpathSync, rmSync, appendFileSync, writeFileSync } from 'node:fs'
import { dirname, isAbsolute, relative, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** One attempt. The order here is the order in which things are done. */
interface Entry {
  /** Text that must be in the prompt, or the attempt fails with that as its finding. */
  requirePrompt?: string | string[]
  say?: string | string[]
  /** A pause after each line that is said. */
  everyMs?: number
  waitMs?: number
  delete?: string[]
  write?: Record<string, string>
  append?: Record<string, string>
  /** Default pass. `none` writes no verdict file. */
  verdict?: 'pass' | 'warn' | 'fail' | 'none'
  detail?: string
  findings?: unknown[]
  /** Default 1 for fail, else 0. */
  exit?: number
}

/**
 * By task id, by what a task id ends with after a hyphen, or "*"; with ".role" behind it, for that role alone. A list has
 * one entry per attempt; the last repeats.
 */
type Script = Record<string, Entry | Entry[]>

const taskId = process.env['MUSTER_TASK_ID'] ?? ''
const role = process.env['MUSTER_ROLE'] ?? ''
const attempt = Number(process.env['MUSTER_ATTEMPT'] ?? 1)

function findEntry(script: Script): Entry | null {
  const key = Object.keys(script)
    .filter((name) => [taskId, `${taskId}.${role}`].some((id) => name === id || id.endsWith(`-${name}`)))
    .sort((a, b) => b.length - a.length)[0]
  const found = script[key ?? '*']
  if (found === undefined) return null
  return Array.isArray(found) ? (found[Math.min(attempt, found.length) - 1] ?? null) : found
}

function missingFromPrompt(entry: Entry): string | null {
  if (entry.requirePrompt === undefined) return null
  const prompt = readFileSync(process.env['MUSTER_PROMPT_FILE'] ?? 0, 'utf8')
  return [entry.requirePrompt].flat().find((text) => !prompt.includes(text)) ?? null
}

/** The path of a file to be changed; it may not leave the working directory, by `..` or by a link. */
function insidePath(name: string): string {
  const root = realpathSync('.')
  const path = resolve(root, name)
  let existing = path
  while (lstatSync(existing, { throwIfNoEntry: false }) === undefined) existing = dirname(existing)
  for (const place of [path, realpathSync(existing)]) {
    const way = relative(root, place)
    if (way === '' && place === path) throw new Error('the working directory itself is not to be changed')
    if (isAbsolute(way) || /^\.\.(\/|$)/.test(way)) throw new Error(`${name} leaves the working directory`)
  }
  mkdirSync(dirname(path), { recursive: true })
  return path
}

function giveVerdict(verdict: string, detail: string | undefined, findings: unknown[] | undefined): void {
  const file = process.env['MUSTER_VERDICT_FILE']
  if (file === undefined || verdict === 'none') return
  const fields = { task: taskId, attempt, nonce: process.env['MUSTER_NONCE'], verdict, detail, findings }
  writeFileSync(file, JSON.stringify(fields))
}

async function main(): Promise<number> {
  const scriptFile = process.argv[2]
  if (scriptFile === undefined) throw new Error('usage: scripted-agent <script.json>')
  const entry = findEntry(JSON.parse(readFileSync(scriptFile, 'utf8')) as Script)
  if (entry === null) throw new Error(`${scriptFile} has nothing for task "${taskId}"`)
  const missing = missingFromPrompt(entry)
  if (missing !== null) {
    const message = `the prompt does not say: ${missing}`
    console.log(message)
    giveVerdict('fail', message, [{ severity: 'FAIL', message }])
    return 1
  }
  for (const line of [entry.say ?? []].flat()) {
    console.log(line)
    if (entry.everyMs !== undefined) await delay(entry.everyMs)
  }
  if (entry.waitMs !== undefined) await delay(entry.waitMs)
  for (const name of entry.delete ?? []) rmSync(insidePath(name), { recursive: true, force: true })
  for (const [name, text] of Object.entries(entry.write ?? {})) writeFileSync(insidePath(name), text)
  for (const [name, text] of Object.entries(entry.append ?? {})) appendFileSync(insidePath(name), text)
  const verdict = entry.verdict ?? 'pass'
  giveVerdict(verdict, entry.detail, entry.findings)
  return entry.exit ?? (verdict === 'fail' ? 1 : 0)
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(`scripted agent: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 2
}
