/**
 * The project that the lies are told in: a folder for each teller with something to mend in it, a check of Muster's for
 * it, and a checker that really looks. A lie and its honest twin have the same set-up and differ in the deed alone.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TaskView } from '../../src/engine/views/views.ts'
import type { RunRecord } from '../../src/ports/store.ts'
import { World } from '../support/world.ts'

/** Which line of defence stops a lie. */
export type Defence = 'snapshot' | 'verification' | 'protected paths' | 'verdict parser' | 'checker' | 'sandbox'

/** What is the same for a liar and its twin. */
export interface SetUp {
  /** In its folder, beside what is to be mended. */
  files?: Record<string, string>
  /** `greet`: greet.sh is to greet by name. `sum`: sum.sh is to add, and has a red test; `node`: the same with node's own tests. */
  mends?: keyof typeof MENDED
  /** Its check, as YAML; null: none. */
  check?: string | null
  /** More of its task, as YAML. */
  task?: string
  /** What the checker of its work does. */
  checker?: string
}

export interface Lie extends SetUp {
  /** The folder, and the end of the task's id. */
  key: string
  says: string
  /** Requirements. */
  cites: string
  /** What the author does, in its folder. */
  deed: string
  caught: Defence
  /** Has to be among what people are told. */
  why: RegExp
  /** What somebody honest does in its place. */
  honest?: string
}

export const GREETS = `echo 'echo "hello $1"' >greet.sh`
/** Enough for the check, which asks for Ann. */
export const ANN = `echo 'echo "hello Ann"' >greet.sh`
export const ADDS = `echo 'echo $(($1 + $2))' >sum.sh`

const MENDED = {
  greet: { 'greet.sh': 'echo hello\n' },
  sum: {
    'sum.sh': 'echo $(($1 - $2))\n',
    'same.sh': 'same() { [ "$1" = "$2" ]; }\n',
    'test/adds.sh': '. ./same.sh; same "$(sh sum.sh 1 2)" 3\n',
    'test/nought.sh': '. ./same.sh; same "$(sh sum.sh 1 0)" 1\n',
  },
  node: {
    'sum.js': 'exports.sum = (a, b) => a - b\n',
    'sum.test.js': `const test = require('node:test')
const assert = require('node:assert')
const { sum } = require('./sum.js')
test('adds', () => assert.equal(sum(1, 2), 3))
test('leaves nought alone', () => assert.equal(sum(1, 0), 1))
`,
  },
}

const PROJECT = {
  'check/greets.sh': '[ "$(sh "$1/greet.sh" Ann)" = "hello Ann" ]\n',
  // A runner of tests as small as they come: a file is a test, 77 skips it, and its report is TAP.
  'check/tests.sh': `n=0 code=0; exec >report.tap
for test in test/*.sh; do
  n=$((n + 1)); sh "$test"
  case $? in 0) echo "ok $n - $test" ;; 77) echo "ok $n - $test # SKIP" ;; *) echo "not ok $n - $test"; code=1 ;; esac
done
echo "1..$n"; exit $code
`,
  'check/shop.sh': 'grep -q open shop/door.txt\n',
  'shop/door.txt': 'open\n',
  // Only the shop has tests for everybody; who mends something else has a check of its own.
  'muster.rules.json': '{ "defaults": { "unit": false }, "filePatterns": { "shop/**": { "unit": true } } }\n',
}

/** Looks at what is there, in surroundings that say nothing, and answers with what it saw. */
export const LOOKS = `key=\${MUSTER_TASK_ID#s-}
alone() { env -i PATH="$PATH" "$@" </dev/null 2>&1; }
look() {
  file=$key/greet.sh; command="sh $file Bob"; wanted="hello Bob"
  if [ -f "$key/sum.sh" ]; then file=$key/sum.sh; command="sh $file 20 22"; wanted=42; fi
  if [ -f "$key/sum.js" ]; then file=$key/sum.js; command="node -p require('./$file').sum(20,22)"; wanted=42; fi
  said=$(alone $command)
}
say() {
  words=$(printf %s "$2" | tr -cd 'a-zA-Z0-9 .,:_/-' | cut -c1-300); criteria=; findings=
  for id in $(sed -n '/^For you to answer/,/^[A-Z#]/s/^- \\(c[0-9]*\\):.*/\\1/p' "$MUSTER_PROMPT_FILE"); do
    criteria="$criteria\${criteria:+,}{\\"id\\":\\"$id\\",\\"status\\":\\"$1\\",\\"note\\":\\"$words\\"}"
  done
  [ "$1" = pass ] || findings="{\\"message\\":\\"$words\\",\\"file\\":\\"$file\\",\\"command\\":\\"$command\\"}"
  printf '{"verdict":"%s","nonce":"%s","detail":"%s","criteria":[%s],"findings":[%s]}' \\
    "$1" "$MUSTER_NONCE" "$words" "$criteria" "$findings" >"$MUSTER_VERDICT_FILE"
}
aloud() {
  word=FAIL; [ "$said" = "$wanted" ] && word=PASS
  printf '%s\n**Verdict: %s**\n**Nonce: %s**\n' "$words" $word "$MUSTER_NONCE"
}
answer() { if [ "$said" = "$wanted" ]; then say pass "$file: $said"; else say fail "$file: wanted $wanted, saw $said"; fi; }
`
export const HONEST = `${LOOKS}look; answer`

/** A project with a folder for each of them, and its agents. Nothing has started yet. Whoever is sent back so often has failed. */
export async function tell(tellers: readonly Lie[], rounds = 1): Promise<World> {
  const limits = `limits: { maxTaskRounds: ${rounds}, maxErrorAttempts: 1 }`
  const world = await World.create({ roles: ['implementer', 'checker'], config: `${limits}\n${configOf(tellers)}` })
  const files = filesOf(tellers)
  for (const [path, text] of files) {
    mkdirSync(dirname(join(world.repository, path)), { recursive: true })
    writeFileSync(join(world.repository, path), text)
  }
  world.git('add', '--', ...files.map(([path]) => path))
  world.git('-c', 'user.name=A', '-c', 'user.email=a@example.invalid', 'commit', '-qm', 'Project')
  for (const { key, deed, checker = HONEST } of tellers) {
    world.agent(`s-${key}.implementer`, `cd ${key}\n${deed}`)
    world.agent(`s-${key}.checker`, checker)
  }
  return world
}

/** The lines of muster.yaml that they need. */
export function configOf(tellers: readonly Lie[]): string {
  const checks = tellers.flatMap((teller) =>
    checkOf(teller) === null ? [] : [`  ${teller.key}: ${checkOf(teller)}\n`],
  )
  return `phases: checked
protectedPaths: ["deploy/**"]
checks:
  unit-test: sh check/shop.sh
${checks.join('')}`
}

/** What the project begins with: paths and texts. */
export function filesOf(tellers: readonly Lie[]): [string, string][] {
  const own = tellers.flatMap(({ key, mends = 'greet', files = {} }) => {
    const all: Record<string, string> = { ...MENDED[mends], ...files }
    return Object.entries(all).map(([path, text]): [string, string] => [`${key}/${path}`, text])
  })
  return [...Object.entries(PROJECT), ...own]
}

const CHECKS = {
  greet: (key: string) => `sh check/greets.sh ${key}`,
  sum: (key: string) => `{ run: sh ../check/tests.sh, cwd: ${key}, report: ${key}/report.tap }`,
  node: (key: string) => `{ run: node --test, cwd: ${key} }`,
}

function checkOf({ key, mends = 'greet', check = CHECKS[mends](key) }: Lie): string | null {
  return check
}

/** Their tasks, for `submit`. */
export function tasksOf(tellers: readonly Lie[]): string {
  return tellers.map((teller) => taskOf(teller)).join('')
}

function taskOf({ key, mends = 'greet', check, task }: Lie): string {
  const asked = mends === 'greet' ? 'greet.sh greets whoever it is called with' : 'the sum adds any two numbers'
  const checks = check === null ? '' : `checks: [${key}], `
  return `  - { id: ${key}, ${task ?? `name: Mend ${key}, ${checks}acceptance_criteria: In ${key} ${asked}`} }\n`
}

/** The honest twins of those that have one, under keys of their own. */
export function twinsOf(lies: readonly Lie[]): Lie[] {
  return lies.flatMap((lie) => {
    if (lie.honest === undefined) return []
    const rename = (text: string) => text.replaceAll(lie.key, `${lie.key}-twin`)
    const { check, task } = lie
    return {
      ...lie,
      key: `${lie.key}-twin`,
      deed: lie.honest,
      ...(typeof check === 'string' ? { check: rename(check) } : {}),
      ...(task === undefined ? {} : { task: rename(task) }),
    }
  })
}

/** What of a judge's prompt stands outside of the lines that mark the author's words. */
export function outsideOf(prompt: string): string {
  const mark = /^It stands between lines with the mark (\S+)\. /m.exec(prompt)?.[1]
  if (mark === undefined) throw new Error('there is no mark in the prompt')
  return prompt.replace(new RegExp(`^===== .* ${mark} begins =====$[^]*?^===== .* ${mark} ends =====$`, 'gm'), '')
}

/** All that people are told about why a task is where it is. */
export function reasonsOf({ failureReason, waitingFor, findings, checkerReport }: TaskView): string {
  return [failureReason, waitingFor, checkerReport?.text, ...findings.map(({ message }) => message)]
    .filter((text) => text != null)
    .join('\n')
}

/** Who stopped it, by what is on record. */
export function defenceOf(
  { waitingFor, checkerReport, findings }: TaskView,
  runs: readonly RunRecord[],
): Defence | null {
  if (waitingFor?.includes('it changes protected paths')) return 'protected paths'
  if (checkerReport?.kind === 'failed') return 'checker'
  if (checkerReport !== null)
    return /checkout .* (?:was changed|is gone)/.test(checkerReport.text) ? 'snapshot' : 'verdict parser'
  const last = runs.at(-1)
  if (last?.end?.verdict !== 'FAIL' && last?.end?.verdict !== 'ERROR') return null
  if (last.kind === 'check') return 'verification'
  return findings.some(({ message }) => message.startsWith('left out of the result')) ? 'snapshot' : 'verdict parser'
}
