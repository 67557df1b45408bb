/** The palette's search. */
import { expect, test } from 'vitest'
import { findIn, scoreOf } from '../../web/parts/find.ts'

const entries = (...texts: string[]) => texts.map((text) => ({ text }))
const found = (query: string, ...texts: string[]) => findIn(query, entries(...texts), 3).map(({ text }) => text)

test('every word must be found, in any order; beginnings before middles, middles before scattered letters', () => {
  expect(found('log', 'catalogue', 'rate-limit login', 'list of goods')).toEqual([
    'rate-limit login',
    'catalogue',
    'list of goods',
  ])
  expect(found('login rate', 'rate-limit login', 'login form')).toEqual(['rate-limit login'])
  expect(found('s-12', 's-12 pdf', 's-120 csv', 's-2 of 1')).toEqual(['s-12 pdf', 's-120 csv'])
})

test('letters in their order are enough unless they are scattered over everything', () => {
  expect(found('esfc', 'escape formula cells', 'every invoice has a source, a form and a colour')).toEqual([
    'escape formula cells',
  ])
  expect(scoreOf('exses', 'expire sessions')).not.toBeNull()
  expect(scoreOf('zz', 'expire sessions')).toBeNull()
})

test('nothing asked for: the first of them, no more than so many', () => {
  expect(found(' ', 'a', 'b', 'c', 'd')).toEqual(['a', 'b', 'c'])
})
