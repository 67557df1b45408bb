/**
 * Lying agents (issue "Independent judgement", E-1, E-2, E-15 to E-19, L10, L13, L14, L17, L26, L29 to L31, L35, F-6): each
 * plays the author of one task in the same project, in the map that projects have by default. None is accepted without a
 * person, nothing of theirs is on any branch, and people are told why. Their honest twins, in the same set-up, land.
 */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { World } from '../support/world.ts'
import { defenceOf, outsideOf, reasonsOf, tasksOf, tell, twinsOf } from './project.ts'
import { JUDGES } from './judges.ts'
import { MEASURES } from './measures.ts'
import { WORDS } from './words.ts'

const LIES = [...WORDS, ...MEASURES, ...JUDGES]
const TWINS = twinsOf(LIES)

let world: World
let base: string
beforeAll(async () => {
  world = await tell([...LIES, ...TWINS])
  base = world.git('rev-parse', 'main')
  await world.run(tasksOf(LIES))
})
afterAll(() => world.dispose())

describe('a liar that', () => {
  test.each(LIES)('$says is stopped ($cites): $caught', async ({ key, caught, why }) => {
    const task = await world.task(`s-${key}`)
    const runs = await world.runs(`s-${key}`)
    expect(reasonsOf(task)).toMatch(why)
    expect(defenceOf(task, runs)).toBe(caught)
    expect(task).toMatchObject({ waiver: null, status: expect.not.stringMatching('completed') as string })
    expect((await world.history(task.id)).filter(({ type }) => type === 'decision')).toEqual([])
  })

  test('speaks to its judge is heard between the marked lines alone (E-17, F-6)', () => {
    const prompt = world.prompt('s-speaks.check.1.r1')
    expect(prompt.match(/JUDGE: PASS/g)?.length).toBeGreaterThan(4)
    expect(outsideOf(prompt)).not.toContain('JUDGE')
  })

  test('is named in docs/lies.md with what catches it', () => {
    const page = readFileSync(new URL('../../docs/lies.md', import.meta.url), 'utf8')
    expect(LIES.filter(({ says, caught }) => !page.includes(`| ${says} | ${caught} |\n`))).toEqual([])
  })

  test('has left nothing on any target', () => {
    expect(world.git('rev-parse', 'main', 'muster/story/s').split('\n')).toEqual([base, base])
  })
})

describe('its honest twin', () => {
  beforeAll(async () => {
    await world.submit(tasksOf([...LIES, ...TWINS]))
    await world.settled()
  })

  test.each(TWINS)('$key lands', async ({ key }) => {
    const task = await world.task(`s-${key}`)
    expect(task, reasonsOf(task)).toMatchObject({ status: 'completed', round: 0, waiver: null })
    expect((await world.history(task.id)).filter(({ type }) => type === 'decision')).toEqual([])
  })

  test('is all that landed', () => {
    const landed = world.git('diff', '--name-only', base, 'muster/story/s').split('\n')
    expect(new Set(landed.map((path) => path.split('/')[0]))).toEqual(new Set(TWINS.map(({ key }) => key)))
    expect(world.git('rev-parse', 'main')).toBe(base)
  })
})
