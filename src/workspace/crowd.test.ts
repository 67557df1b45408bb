import fc from 'fast-check'
import { expect, test } from 'vitest'
import { crowdsIn } from './crowd.ts'

const many = (folder: string, count: number) => Array.from({ length: count }, (_, n) => `${folder}${n}`)
const inOrder = (...paths: string[]) => paths.toSorted((a, b) => (a < b ? -1 : 1))

test('a crowd is the folder that has it, however deep, and nothing beside it', () => {
  expect(crowdsIn(inOrder('src/a.ts', 'src/b.ts', ...many('src/gen/[x]/', 20)), 10)).toEqual([
    { path: 'src/gen/[x]/*', files: 20, pathspec: ':(exclude,glob)src/gen/\\[x\\]/*' },
  ])
  const modules = ['a', 'b', 'c'].flatMap((name) => many(`node_modules/${name}/`, 6))
  expect(crowdsIn(inOrder('src/a.ts', ...modules), 10).map(({ path }) => path)).toEqual(['node_modules'])
  const folders = ['a', 'b', 'c'].flatMap((name) => many(`${name}/`, 6))
  expect(crowdsIn(inOrder('x', ...folders), 10).map(({ path }) => path)).toEqual(['a', 'b'])
  expect(crowdsIn(inOrder(...many('', 20), 'src/a.ts'), 10).map(({ path }) => path)).toEqual(['*'])
  expect(crowdsIn(inOrder(...many('a/', 10)), 10)).toEqual([])
})

test('what is left beside the crowds is never more than allowed, and everything that is left out is counted', () => {
  const segment = fc.constantFrom('a', 'b', 'c', '[d]')
  const path = fc.array(segment, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'))
  fc.assert(
    fc.property(fc.uniqueArray(path, { maxLength: 60 }), fc.integer({ min: 1, max: 20 }), (drawn, max) => {
      // No name is a file and a folder at once.
      const paths = inOrder(...drawn.map((one) => `${one}.f`))
      const crowds = crowdsIn(paths, max)
      const covers = (crowd: string, file: string) =>
        crowd.endsWith('*')
          ? file.startsWith(crowd.slice(0, -1)) && !file.slice(crowd.length - 1).includes('/')
          : file.startsWith(`${crowd}/`)
      const out = paths.filter((file) => crowds.some(({ path }) => covers(path, file)))
      expect(out.length).toBeGreaterThanOrEqual(crowds.reduce((sum, { files }) => sum + files, 0))
      expect(paths.length - out.length).toBeLessThanOrEqual(max)
    }),
  )
})
