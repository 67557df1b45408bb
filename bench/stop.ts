/** Ctrl-C with a thousand landings queued: the one under way is finished, and nothing more. */
import { execFileSync, spawn } from 'node:child_process'
import { join } from 'node:path'
import { withCommands } from '../src/app.ts'
import { openProject } from '../src/project.ts'
import type { Row } from './main.ts'
import { inTemp, makeRepository, percentile, sort } from './measure.ts'

const landings = 1000
const rounds = 15
const bin = join(import.meta.dirname, '../bin/muster.mjs')
const CONFIG = `agents:
  implementer: { runtime: command, run: "true", verdict: exit }
phases: direct
protected: []
sandbox: off
decisions: scripted
`

export function stop(): Promise<Row[]> {
  return inTemp(async (dir) => {
    const { repository, env } = makeRepository(dir, CONFIG)
    await queue(repository, env)
    const times: number[] = []
    for (let n = 0; n < rounds; n += 1) times.push(await interrupted(repository, env))
    const sorted = sort(times)
    const [median, worst] = [percentile(sorted, 50), sorted.at(-1) ?? 0]
    const measured = `median ${median.toFixed(0)} ms, worst ${worst.toFixed(0)} ms of ${rounds}`
    const figures = { medianMs: Math.round(median), worstMs: Math.round(worst) }
    return [
      { what: `Ctrl-C with ${landings} landings queued`, measured, aim: 'worst ≤ 5 s', met: worst <= 5000, figures },
    ]
  })
}

/** Tasks that each have a commit of a person's, which only has to be verified and to land. */
async function queue(repository: string, env: Record<string, string>): Promise<void> {
  const commits = Array.from(
    { length: landings },
    (_, n) => `commit refs/heads/part/${n}
committer A <a@example.invalid> 1700000000 +0000
data <<END
Work ${n}
END
from refs/heads/main^0
M 100644 inline part-${n}.txt
data <<END
part ${n}
END

`,
  )
  execFileSync('git', ['fast-import', '--quiet'], { cwd: repository, input: commits.join('') })
  const project = await openProject(repository, env)
  const none = {
    acceptanceCriteria: '',
    checks: [],
    expectedFiles: [],
    dependsOn: [],
    story: null,
    agent: null,
    phases: null,
  }
  await withCommands(project, env, async (commands) => {
    for (let n = 0; n < landings; n += 1) {
      const title = `Part ${n}`
      const { id } = await commands.add({ task: { title, instructions: title, ...none }, config: project.config })
      await commands.take({ task: id, revision: `part/${n}`, by: 'bench' })
    }
  })
}

/** From the signal, sent once something has landed, to the end of the process. */
function interrupted(cwd: string, env: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [bin, 'run'], { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    let at: number | null = null
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text
      if (at !== null || !/ completed\n/.test(said)) return
      at = performance.now()
      child.kill('SIGINT')
    })
    child.once('close', (code) => {
      if (at === null || code !== 130) reject(new Error(`ended with ${code}:\n${said.slice(-2000)}`))
      else resolve(performance.now() - at)
    })
  })
}
