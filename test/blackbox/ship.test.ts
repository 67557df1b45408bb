/** A story from its goal to its end, as a user types it: elaborate, approve, run, ship; and Muster killed in between. */
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { DraftView } from '../../src/engine/steps/elaborate.ts'
import type { StoryView, TaskView } from '../../src/engine/views/views.ts'
import type { ErrorDocument, Repo } from '../support/muster.ts'
import { exited, fileText, makeRepo } from '../support/muster.ts'

const DRAFT = JSON.stringify({
  name: 'Health',
  tasks: [{ id: 'a', name: 'Add it', instructions: 'In app.js.', acceptance_criteria: ['The file app.js exists'] }],
})
/** An implementer that writes the file, and an elaborator that prints the draft. */
const AGENT = `case $MUSTER_ROLE in elaborator) cat <<'END'\n${DRAFT}\nEND\n;; *) echo 1 >app.js;; esac`
const role = `{ runtime: command, run: ./agent.sh, verdict: exit, timeout: 1m }`

describe('from a goal to REVIEW_READY', () => {
  let repo: Repo
  beforeAll(() => {
    const deploy = `echo $$ >"$HOME/begun"; until [ -f "$HOME/go" ]; do sleep 0.02; done; echo x >>"$HOME/ran"`
    repo = makeRepo({
      agent: AGENT,
      config: `  elaborator: ${role}\ndeploy: { run: '${deploy}' }\npostDeploy: 'ls app.js'`,
    })
  })

  test('S0.21, S0.26 elaborate ends with 0 and a draft; what is wrong with an edited one is said with 2; one is approved once', async () => {
    const drafted = exited(await repo.muster('elaborate', 'Show whether it is up', '--json'), 0).json<DraftView>()
    expect(drafted).toMatchObject({ id: 'task-1', status: 'waiting', warnings: [], draft: { name: 'Health' } })
    for (const text of ['{', DRAFT.replace('"In app.js."', '"x","depends_on":["9"]')]) {
      repo.write('edited.json', text)
      const refused = exited(await repo.muster('story', 'approve', 'task-1', '--draft', 'edited.json', '--json'), 2)
      expect(refused.json<ErrorDocument>().error).toMatchObject({ code: 'config', hint: expect.any(String) as string })
    }
    const approved = exited(await repo.muster('story', 'approve', 'task-1', '--json'), 0)
    expect(approved.json()).toMatchObject({ story: 'health', created: true, added: ['health-1'] })
    exited(await repo.muster('story', 'approve', 'task-1'), 3)
  })

  test('S0.8, S0.47, S0.50 ship is refused until it is SHIPPABLE, and of what does not exist', async () => {
    expect((await repo.muster('ship', 'health')).stderr).toContain('1 task is still open')
    exited(await repo.muster('ship', 'nowhere', '--deployed', '-m', 'x'), 5)
    exited(await repo.here('run'), 0)
    const shown = exited(await repo.muster('story', 'show', 'health'), 0)
    expect(shown.stdout).toMatch(/state +SHIPPABLE[^]*next +muster ship health\n/)
    expect(repo.git('ls-tree', '--name-only', 'main')).not.toContain('app.js')
  })

  test('E-5 Muster killed with SIGKILL in a deploy: the deploy goes on, and resume follows it to the end', async () => {
    const shipping = repo.start('ship', 'health')
    await fileText(join(repo.home, 'begun'))
    shipping.signal('SIGKILL')
    await shipping.ended
    exited(await repo.muster('ship', 'health'), 3)
    const shown = (await repo.muster('story', 'show', 'health', '--json')).json<StoryView>()
    expect(shown).toMatchObject({ state: 'SHIPPING', message: null, work: { id: 'health.ship.1', kind: 'ship' } })
    repo.write('../home/go', '')
    const ended = exited(await repo.muster('ship', 'health', '--resume', '--json'), 0).json<StoryView>()
    expect(ended).toMatchObject({ state: 'REVIEW_READY', message: null, landed: repo.git('rev-parse', 'main').trim() })
    expect(await fileText(join(repo.home, 'ran'))).toBe('x\n')
    expect(repo.git('ls-tree', '--name-only', 'main')).toContain('app.js')
  })

  test('what worked for the story can be looked at, is in no list, and keeps the history whole', async () => {
    expect((await repo.muster('logs', 'health.validation.2', '-f')).stdout).toContain('app.js')
    expect((await repo.muster('show', 'health.ship.1', '--json')).json<TaskView>()).toMatchObject({
      status: 'completed',
    })
    expect((await repo.muster('status', '--all', '--json')).stdout).not.toContain('health.ship.1')
    expect((await repo.muster('doctor')).stdout).not.toMatch(/history.*(bad|does not)/)
  })
})
