/**
 * `npm run agents:install`: puts the agent programs, in the versions that the tests know, into .agents/ of this
 * checkout. Not among the dependencies: they are large, one of them may not be passed on, and the tests do without.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { VERSIONS } from './versions.mjs'

const folder = join(import.meta.dirname, '../../.agents')
const bin = join(folder, 'bin')
const modules = join(folder, 'node_modules')

/** Where the programs themselves are; the package's own start script needs more time than they do. */
const PLACES = {
  claude: () => join(only(join(modules, '@anthropic-ai'), /^claude-code-.+/), 'claude'),
  codex: () => join(only(join(only(join(modules, '@openai'), /^codex-.+/), 'vendor'), /./), 'bin/codex'),
}

function only(dir, pattern) {
  const name = readdirSync(dir).find((entry) => pattern.test(entry))
  if (name === undefined) throw new Error(`${dir} has nothing like ${pattern}`)
  return join(dir, name)
}

/** npm takes an older version, without a word, where the Node that runs it is too old for the wanted one. */
function check(name) {
  const { version } = VERSIONS[name]
  const path = join(bin, name)
  if (!existsSync(path)) return `${name} is not there`
  const env = { PATH: process.env.PATH, HOME: folder, CODEX_HOME: folder }
  const said = execFileSync(path, ['--version'], { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'ignore'] })
  return said.includes(version) ? null : `${name} is ${said.trim()}, not ${version}`
}

const names = Object.keys(VERSIONS)
if (names.every((name) => check(name) === null)) {
  console.log(`already in ${folder}`)
} else {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  const packages = Object.values(VERSIONS).map(({ name, version }) => `${name}@${version}`)
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error']
  execFileSync('npm', ['install', '--prefix', folder, ...flags, ...packages], { stdio: 'inherit' })
  for (const name of names) symlinkSync(PLACES[name](), join(bin, name))
}
const problems = names.map(check).filter((problem) => problem !== null)
for (const problem of problems) console.error(problem)
if (problems.length === 0) console.log(names.map((name) => `${name} ${VERSIONS[name].version}`).join('\n'))
process.exitCode = problems.length === 0 ? 0 : 1
