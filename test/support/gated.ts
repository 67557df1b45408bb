/** An agent that waits in the middle of its work until the test lets it go on. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileText, type Repo } from './muster.ts'

/** Says that it began, and goes on once somebody opens the gate with its name. */
export const gated = `echo "$$" >"$HOME/$MUSTER_TASK_ID.$MUSTER_ATTEMPT.pid"
[ -e "$HOME/open" ] || { mkfifo "$HOME/gate.$MUSTER_TASK_ID" 2>/dev/null; cat "$HOME/gate.$MUSTER_TASK_ID" >/dev/null; }
echo x >"$MUSTER_TASK_ID.txt"`

export const begun = async (repo: Repo, task: string, attempt = 1) =>
  Number(await fileText(join(repo.home, `${task}.${attempt}.pid`)))
export const openGate = (repo: Repo, task: string) =>
  execFileSync('sh', ['-c', 'echo go >"$1"', 'sh', join(repo.home, `gate.${task}`)])
