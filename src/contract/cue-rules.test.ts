/** Each row of the tables is for something, and nothing above it takes that away: its own example shows both. */
import { describe, expect, test } from 'vitest'
import { ALSO, QUESTIONS, ruleFor, WORK } from './cue-rules.ts'
import { cuesOf } from './cues.ts'
import { factsOf } from './reading.ts'
import { readSentence } from './sentence.ts'

const factNames = Object.keys(factsOf(readSentence('')))

describe.each([
  ['a question', QUESTIONS],
  ['work', WORK],
  ['more work', ALSO],
])('%s', (_, rules) => {
  test.each(rules.map((rule) => [rule.example, rule] as const))('"%s" is what its rule is for', (example, rule) => {
    const sentence = readSentence(example)
    expect(ruleFor(rules, factsOf(sentence))).toBe(rule)
    const said = cuesOf(sentence).map(({ kind, weight }) => `${kind} ${weight}`)
    expect(rule.kind === null || said.includes(`${rule.kind} ${rule.weight}`)).toBe(true)
  })

  test('knows only facts that a sentence has, and kinds that a task can be of', () => {
    expect(rules.filter(({ kind }) => !['verifiable', 'advisory', 'skip', null].includes(kind))).toEqual([])
    const named = rules.flatMap(({ conditions, told }) => [
      ...conditions.map(({ fact }) => fact as string),
      ...[...told.matchAll(/\{(\w+)\}/g)].map(([, fact = '']) => fact),
    ])
    expect(named.filter((fact) => !factNames.includes(fact))).toEqual([])
  })
})
