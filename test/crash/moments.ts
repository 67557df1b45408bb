/**
 * Moments at which a real `muster` is killed with SIGKILL: something has just begun, and stands still. The work is a story
 * `p` of one task `p-1` on its way through the map `checked`; at the gate it is a person's, and `p-2` keeps Muster at work.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { BY_PERSON } from '../support/maps.ts'
import type { Repo } from '../support/muster.ts'
import { exited, fileText, isAlive, makeRepo, planText } from '../support/muster.ts'

/** `landing`: before git moves the branch. `landed`: right after it. `shipping`: before it moves the base. */
export type Moment = 'author' | 'check' | 'checker' | 'gate' | 'landing' | 'landed' | 'shipping' | 'deploy'

/** Where git stands still, by the branch that it is about to move. */
const MOVED: Partial<Record<Moment, string>> = {
  landing: 'muster/story/p',
  landed: 'muster/story/p',
  shipping: 'main',
}

export interface Killed {
  repo: Repo
  /** Who stood still when Muster was killed. */
  pid: number
  /** From now on nobody stands still any more. */
  goOn(): void
}

/** Where the branch was before it is made, which is not stood still at. */
const ZEROS = '0'.repeat(40)

const CONFIG = `  checker: { runtime: command, run: ./checker.sh, verdict: file }
checks: { unit: ./unit.sh }
deploy: { run: ./deploy.sh }
`
const PASS = `printf '{"verdict":"pass","nonce":"%s","detail":"fine"}' "$MUSTER_NONCE" >"$MUSTER_VERDICT_FILE"`

export async function killedAt(moment: Moment): Promise<Killed> {
  const gate = moment === 'gate'
  const repo = makeRepo({ config: `${CONFIG}phases: ${gate ? BY_PERSON : 'checked'}` })
  const at = (name: Moment) => (name === moment ? standing(repo) : '')
  repo.script(
    'agent.sh',
    `${at('author')}\n[ $MUSTER_TASK_ID = p-1 ] || {\n:\n${at('gate')}\n}\necho x >$MUSTER_TASK_ID.txt`,
  )
  repo.script('unit.sh', at('check'))
  repo.script('checker.sh', `${at('checker')}\n${PASS}`)
  // Nobody but itself ends a deploy.
  repo.script(
    'deploy.sh',
    at('deploy').replace('exec sleep 1000', `until [ -e '${repo.home}/open' ]; do sleep 0.02; done`),
  )
  repo.git('add', '-A')
  repo.git('commit', '-qm', 'Scripts')
  repo.write('plan.yaml', planText('p', gate ? { 1: '', 2: '' } : { 1: 'checks: [unit]' }))
  const ships = moment === 'shipping' || moment === 'deploy'
  if (ships) exited(await repo.muster('run', 'plan.yaml'), 0)
  const branch = MOVED[moment]
  const env = branch === undefined ? {} : gitThatStands(repo, branch, moment === 'landed')
  const muster = repo.startWith({ env }, ...(ships ? ['ship', 'p'] : ['run', 'plan.yaml']))
  if (gate) await muster.saw(/p-1 implement → review/)
  const pid = Number(await fileText(join(repo.home, 'at')))
  muster.signal('SIGKILL')
  await muster.ended
  // A git that is under way goes down with it, as when the power goes; agents, checks and deploys live on.
  if (branch !== undefined && isAlive(pid)) process.kill(pid, 'SIGKILL')
  return { repo, pid, goOn: () => writeFileSync(join(repo.home, 'open'), '') }
}

/** Shell text: says who it is, and stands still. */
function standing({ home }: Repo): string {
  return `[ -e '${home}/open' ] || { echo $$ >'${home}/at'; exec sleep 1000; }`
}

function gitThatStands(repo: Repo, branch: string, after: boolean): Record<string, string> {
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
  const dir = join(repo.home, 'bin')
  const done = after ? `'${real}' "$@"\n` : ''
  mkdirSync(dir)
  writeFileSync(
    join(dir, 'git'),
    `#!/bin/sh\ncase " $* " in *' ${ZEROS} '*) ;; *' update-ref '*' refs/heads/${branch} '* | *' push '*:refs/heads/${branch}' ')\n${done}${standing(repo)};; esac\nexec '${real}' "$@"\n`,
  )
  chmodSync(join(dir, 'git'), 0o755)
  return { PATH: [dir, process.env['PATH']].join(delimiter) }
}
