/** muster demo as a newcomer has it: on the board until it is ended, and in the terminal. By itself: test/package.test.ts. */
import { readFileSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { enter } from '../support/http.ts'
import { exited, makeRepo, tempFolder } from '../support/muster.ts'

/** Processes that were started with this in their command. */
const processesWith = (text: string): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        return command.includes(text) ? [command.replaceAll('\0', ' ')] : []
      } catch {
        return []
      }
    })

test.concurrent('on the board: its address lets a browser in, tasks move, Ctrl-C leaves nothing', async () => {
  const tmp = tempFolder()
  const demo = makeRepo().startWith({ cwd: '/', env: { TMPDIR: tmp } }, 'demo', '--board')
  const [link] = await demo.saw(/http:\/\/127\.0\.0\.1:\d+\/#key=[0-9a-f]{64}/)
  await demo.saw(/Needs you .*"Write the opening hours"/)
  expect(readdirSync(tmp)).toEqual([expect.stringMatching(/^muster-demo-/)])
  const headers = { Authorization: `Bearer ${await enter(link)}` }
  const events = await fetch(new URL('/api/events?after=0&output=1', link), { headers })
  let text = ''
  for await (const chunk of events.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    if (/"type":"phase-entered"/.test(text) && /"type":"output"/.test(text)) break
  }
  expect(processesWith(tmp)).not.toEqual([])
  demo.signal('SIGINT')
  exited(await demo.ended, 0)
  expect(readdirSync(tmp)).toEqual([])
  expect(processesWith(tmp)).toEqual([])
})

test.concurrent('in the terminal: five tasks, one fails its first round, one waits for a person', async () => {
  const ended = exited(await makeRepo().musterWith({ cwd: '/' }, 'demo', '--terminal'), 0)
  expect(ended.stdout).toContain('story shop: 5 completed')
  expect(ended.stderr).toContain('muster accept shop-5')
  expect(ended.stderr).toContain('What to try next')
})
