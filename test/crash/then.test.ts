/**
 * Muster is killed with SIGKILL, a person types something, then `muster run`: that ends by itself, with the state that the
 * moment and the words lead to, and nothing of the killed one is left. All pairs in `npm run soak`, a sample in `npm test`.
 */
import { expect, test } from 'vitest'
import type { StoryView, TaskView } from '../../src/engine/views/views.ts'
import { isAlive } from '../support/muster.ts'
import type { Moment } from './moments.ts'
import { killedAt } from './moments.ts'

const WORDS = {
  cancel: (task: string) => ['cancel', task],
  retry: (task: string) => ['retry', task],
  accept: (task: string) => ['accept', task, '-m', 'fine'],
  reject: (task: string) => ['reject', task, '-m', 'it should say y'],
  approve: (task: string) => ['approve', task],
  ship: () => ['ship', 'p'],
  clean: () => ['clean', '--apply'],
  pause: () => ['pause'],
}
type Word = keyof typeof WORDS

/** Exit codes of the words and of `run`; the task and its attempt; the story. */
type End = [said: number, ran: number, task: TaskView['status'], attempt: number, story: StoryView['state']]

/** Two things go on side by side, and either may be faster. */
interface Either {
  either: readonly End[]
}

const refused: End = [3, 0, 'completed', 1, 'SHIPPABLE']
const refusedAgain: End = [3, 0, 'completed', 2, 'SHIPPABLE']
const done: End = [0, 0, 'completed', 1, 'SHIPPABLE']
const again: End = [0, 0, 'completed', 2, 'SHIPPABLE']
const off: End = [0, 0, 'cancelled', 1, 'OPEN']
const paused: End = [0, 8, 'in-progress', 1, 'OPEN']
const goesOn = (no: End, yes: End) => ({ retry: no, accept: no, reject: no, approve: no, ship: no, clean: yes })
const waits = (said: number, attempt = 1): End => [said, 8, 'in-progress', attempt, 'OPEN']
const landed: End = [0, 8, 'completed', 1, 'OPEN']
const shipped = (said: number): End => [said, 0, 'completed', 1, 'REVIEW_READY']

const ENDS: Record<Moment, Record<Word, End | Either>> = {
  // The interrupted attempt counts.
  author: { ...goesOn(refusedAgain, again), cancel: off, pause: paused },
  check: { ...goesOn(refused, done), cancel: off, pause: paused },
  // Whoever is faster than the checker decides.
  checker: { ...goesOn(refused, done), accept: done, approve: done, reject: again, cancel: off, pause: paused },
  gate: {
    accept: landed,
    approve: landed,
    reject: waits(0, 2),
    retry: waits(3),
    ship: waits(3),
    clean: waits(0),
    pause: waits(0),
    cancel: [0, 8, 'cancelled', 1, 'OPEN'],
  },
  // What is under way goes on while Muster is paused.
  landing: { ...goesOn(refused, done), cancel: off, pause: done },
  // Once the landing is written down there is a story to ship.
  landed: { ...goesOn(refused, done), ship: { either: [refused, shipped(0)] }, cancel: refused, pause: done },
  // Of the story's own task, as the next.
  shipping: {
    cancel: [0, 0, 'cancelled', 1, 'SHIPPABLE'],
    retry: shipped(0),
    accept: shipped(3),
    reject: shipped(3),
    approve: shipped(3),
    ship: shipped(3),
    clean: shipped(0),
    pause: [0, 0, 'in-progress', 1, 'SHIPPING'],
  },
  deploy: {
    cancel: [0, 0, 'cancelled', 1, 'SHIPPABLE'],
    retry: shipped(0),
    accept: shipped(3),
    reject: shipped(3),
    approve: shipped(3),
    ship: shipped(3),
    clean: shipped(0),
    pause: [0, 0, 'completed', 1, 'DEPLOYED'],
  },
}

const PAIRS = Object.entries(ENDS).flatMap(([moment, words]) =>
  Object.entries(words).map(([word, end]) => ({ moment: moment as Moment, word: word as Word, end })),
)
const SAMPLE = new Set([
  'author cancel',
  'author pause',
  'check clean',
  'checker reject',
  'gate accept',
  'landing ship',
  'landed cancel',
  'shipping cancel',
  'deploy retry',
])
const chosen = process.env['MUSTER_SOAK'] ? PAIRS : PAIRS.filter(({ moment, word }) => SAMPLE.has(`${moment} ${word}`))

test.concurrent.for(chosen)('F-1, L6 kill -9 at $moment, $word, run', async ({ moment, word, end }) => {
  const { repo, pid, goOn } = await killedAt(moment)
  const task = moment === 'shipping' || moment === 'deploy' ? 'p.ship.1' : 'p-1'
  const said = await repo.muster(...WORDS[word](task))
  goOn()
  const ran = await repo.muster('run')
  const { status, attempt } = (await repo.here('show', task, '--json')).json<TaskView>()
  const { state } = (await repo.here('story', 'show', 'p', '--json')).json<StoryView>()
  const told = `${said.stderr}\n${ran.stdout}\n${ran.stderr}`
  expect('either' in end ? end.either : [end], told).toContainEqual([said.code, ran.code, status, attempt, state])
  expect(isAlive(pid)).toBe(false)
  expect(await repo.here('doctor')).toMatchObject({ code: 0 })
})
