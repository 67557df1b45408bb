/** Which versions of the well-known tools a command would find: a result is only as good as the tools that made it. */
import { arch, platform, release } from 'node:os'
import { createHash } from 'node:crypto'
import { childEnvironment } from './environment.ts'
import { runToEnd } from './run.ts'

/** Asked for their version; anything else might do something when it is. */
const KNOWN = new Set([
  'node',
  'npm',
  'npx',
  'pnpm',
  'yarn',
  'bun',
  'deno',
  'python',
  'python3',
  'pytest',
  'go',
  'cargo',
  'make',
  'ruby',
  'php',
])
const timeoutMs = 5000
const asked = new Map<string, Promise<string>>()

/** A digest of the machine, of the tools among `programs`, and of the named variables of the user's environment. */
export async function environmentDigest(names: readonly string[], programs: readonly string[]): Promise<string> {
  const env = childEnvironment({ pass: names })
  const tools = await Promise.all(
    [...new Set(programs)]
      .filter((name) => KNOWN.has(name))
      .sort()
      .map(versionOf),
  )
  const values = ['PATH', 'LANG', 'LC_ALL', 'TZ', ...names].map((name) => [name, env[name] ?? null])
  const what = JSON.stringify([platform(), arch(), release(), tools, values])
  return createHash('sha256').update(what).digest('hex')
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
    return `${program} ${stdout.toString().trim()}`
  } catch {
    return `${program} missing`
  }
}
