import { describe, expect, test } from 'vitest'
import { simpleCommands } from './words.ts'

const parts = (run: string) =>
  simpleCommands(run)?.map(({ start, end, joint }) => `${run.slice(start, end)}${joint === '' ? '' : ` ${joint}`}`)

describe('the simple commands of a list', () => {
  test.each([
    ['npm test', ['npm test']],
    ['a && b c || d; e | f', ['a &&', 'b c ||', 'd ;', 'e |', 'f']],
    ['a\n b ;', ['a ;', 'b']],
    [`A=1 x 'a && b' "c; d"`, [`A=1 x 'a && b' "c; d"`]],
    ['a > log 2>&1 && b <in', ['a > log 2>&1 &&', 'b <in']],
    ['echo 2 >x', ['echo 2 >x']],
    ['x $(date) "$Y"', undefined],
    ['x $Y ~/z', ['x $Y ~/z']],
  ])('%j', (run, expected) => {
    expect(parts(run)).toEqual(expected)
  })

  test('words are what the program gets; what only the shell knows is not known', () => {
    const [command] = simpleCommands(String.raw`x ~/z "a\"b" c\ d 'e $f' "" $g`) ?? []
    expect(command?.words.map(({ text }) => text)).toEqual(['x', null, 'a"b', 'c d', 'e $f', '', null])
  })

  test('redirections are none of the words', () => {
    const [command] = simpleCommands('vitest run 2>&1 >log') ?? []
    expect(command?.words.map(({ text }) => text)).toEqual(['vitest', 'run'])
  })

  test.each([
    '',
    'a & b',
    'a &&',
    'a |& b',
    '(a)',
    '{ a; }',
    '! a',
    'if a; then b; fi',
    'for x in 1 2; do a; done',
    'cat <<END\nx\nEND',
    'a &> log',
    'a >"$LOG"',
    'a # && b',
    'case x in x) a;; esac',
  ])('%j is more than that', (run) => {
    expect(simpleCommands(run)).toBeNull()
  })
})
