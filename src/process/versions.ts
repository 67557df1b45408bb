/** The versions of the tools that a command would use, because they can change its result. */
import { createHash } from 'node:crypto'
import { realpath, stat } from 'node:fs/promises'
import { arch, platform, release } from 'node:os'
import { delimiter, join } from 'node:path'
import { childEnvironment } from './environment.ts'
import { runToEnd } from './run.ts'

/** Asked for their version, because what is on the PATH may only pass on to one; others might do something when asked. */
const ASKED = /^(?:node|bun|deno|python[\d.]*|go|cargo|ruby|php)$/
/** Programs that are scripts of node's. */
const OF_NODE = /^(?:npm|npx|pnpm|yarn)$/
const timeoutMs = 5000
const asked = new Map<string, Promise<string>>()

/** A digest of the machine, of the tools among `words`, and of the named variables of the user's environment. */
export async function environmentDigest(names: readonly string[], words: readonly string[]): Promise<string> {
  const env = childEnvironment({ pass: names })
  const programs = new Set(words.flatMap((word) => (OF_NODE.test(word) ? [word, 'node'] : [word])))
  const tools = await Promise.all([...programs].toSorted().map((word) => toolOf(word, env['PATH'] ?? '')))
  const values = ['PATH', 'LANG', 'LC_ALL', 'TZ', ...names].map((name) => [name, env[name] ?? null])
  const what = JSON.stringify([platform(), arch(), release(), tools.filter(Boolean), values])
  return createHash('sha256').update(what).digest('hex')
}

/** Empty for a word that is no program. */
async function toolOf(word: string, path: string): Promise<string> {
  for (const dir of path.split(delimiter)) {
    const file = await stat(join(dir, word)).catch(() => null)
    if (file?.isFile() !== true) continue
    const known = ASKED.test(word) ? await versionOf(word) : ''
    return `${await realpath(join(dir, word))} ${file.size} ${file.mtimeMs} ${known}`
  }
  return ''
}

function versionOf(program: string): Promise<string> {
  const known = asked.get(program) ?? ask(program)
  asked.set(program, known)
  return known
}

async function ask(program: string): Promise<string> {
  const flag = program === 'go' ? 'version' : '--version'
  try {
    const { stdout } = await runToEnd({ command: [program, flag], cwd: '/', env: childEnvironment(), timeoutMs })
    return stdout.toString().trim()
  } catch {
    return 'missing'
  }
}
