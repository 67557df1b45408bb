import { expect, test } from 'vitest'
import { boundPatch } from './patch.ts'

const file = (name: string, lines: number) =>
  `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ -0,0 +1,${lines} @@\n${'+diff --git a/x b/x\n'.repeat(lines)}`

test('what fits is told as it is', () => {
  const patch = file('a', 3) + file('b', 2)
  expect(boundPatch(patch)).toEqual({ patch, cut: [], leftOut: 0 })
})

test('a huge file is cut and hides no other', () => {
  const bound = boundPatch(file('a', 1) + file('huge', 1000) + file('b', 1), 500, 10_000)
  expect(bound).toMatchObject({ cut: [1], leftOut: 0 })
  expect(bound.patch).toContain('b/b\n--- a/b')
  expect(bound.patch.length).toBeLessThan(1200)
})

test('what comes after all there is room for is counted', () => {
  const patch = ['a', 'b', 'c', 'd'].map((name) => file(name, 20)).join('')
  const bound = boundPatch(patch, 600, 900)
  expect(bound).toMatchObject({ cut: [1], leftOut: 2 })
})

test('a cut through a character leaves none that is broken', () => {
  expect(boundPatch(`diff --git a/a b/a\n${'💥'.repeat(100)}`, 20, 100).patch.isWellFormed()).toBe(true)
})
