/** The pure parts of the Diff tab: rows, trees, drafts, colours. */
import { describe, expect, test } from 'vitest'
import type { DraftComment } from '../../web/diff/drafts.ts'
import { asRequest, canCommentOn, parseDrafts, withComments } from '../../web/diff/drafts.ts'
import { parsePatch } from '../../web/diff/patch.ts'
import { isOpenAtFirst, rowsOf } from '../../web/diff/rows.ts'
import { treeOf } from '../../web/diff/tree.ts'

// By a name that the compiler does not follow: its packages bring types of browsers along.
const colours: string = '../../web/diff/highlight.ts'
const { highlight, languageOf } = (await import(colours)) as {
  highlight(language: string, texts: readonly string[]): { text: string; tone: string | null }[][] | null
  languageOf(path: string): string | null
}

const fileText = (path: string, body: string[]) => {
  const count = (sign: string) => body.filter((line) => line.startsWith(' ') || line.startsWith(sign)).length
  return `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1,${count('-')} +1,${count('+')} @@\n${body.join('\n')}\n`
}
const comment = (more: Partial<DraftComment>): DraftComment => ({
  id: 'i',
  file: 'a.ts',
  side: 'new',
  line: 2,
  quote: 'x',
  message: 'no',
  ...more,
})

describe('rows', () => {
  const files = parsePatch(fileText('a.ts', [' one', '-two', '-three', '+2', ' four']))
  const told = (view: 'unified' | 'split', comments: DraftComment[] = [], writing = null) =>
    rowsOf(files, view, () => true, comments, writing).map((row) =>
      row.type === 'line'
        ? `${row.left?.text ?? ''}|${row.right?.text ?? ''}`
        : row.type === 'talk'
          ? `talk ${row.place.side} ${row.place.line}`
          : row.type,
    )

  test('unified: line by line; split: what came beside what went', () => {
    expect(told('unified')).toEqual(['file', 'hunk', '|one', 'two|', 'three|', '|2', '|four'])
    expect(told('split')).toEqual(['file', 'hunk', 'one|one', 'two|2', 'three|', 'four|four'])
  })

  test('what is said stands below its line, on its own side, once', () => {
    const said = [comment({ line: 1 }), comment({ line: 2 }), comment({ line: 2, side: 'old' })]
    expect(told('unified', said)).toEqual([
      'file',
      'hunk',
      '|one',
      'talk new 1',
      'two|',
      'talk old 2',
      'three|',
      '|2',
      'talk new 2',
      '|four',
    ])
    expect(told('split', said).slice(2, 7)).toEqual(['one|one', 'talk new 1', 'two|2', 'talk old 2', 'talk new 2'])
  })

  test('long and generated files are closed at first, and closed ones have one row', () => {
    const [long] = parsePatch(
      fileText(
        'long.ts',
        Array.from({ length: 2000 }, () => '+x'),
      ),
    )
    const [lock] = parsePatch(fileText('web/package-lock.json', ['+x']))
    expect([long, lock, files[0]].map((file) => file !== undefined && isOpenAtFirst(file))).toEqual([
      false,
      false,
      true,
    ])
    expect(rowsOf(files, 'unified', () => false, [], null)).toHaveLength(1)
  })
})

test('a tree has each folder once, and those that hold one folder only in one piece', () => {
  const files = parsePatch(
    ['src/a/b/x.ts', 'src/a/c/y.ts', 'README.md', 'src/z.ts'].map((path) => fileText(path, ['+x'])).join(''),
  )
  const told = (filter = '') => treeOf(files, filter).map(({ name, depth }) => `${'  '.repeat(depth)}${name}`)
  expect(told()).toEqual(['src/', '  a/', '    b/', '      x.ts', '    c/', '      y.ts', '  z.ts', 'README.md'])
  expect(told('B/X')).toEqual(['src/a/b/', '  x.ts'])
})

describe('drafts', () => {
  test('what is stored and is no comment is left out', () => {
    const good = comment({})
    const text = JSON.stringify([{ commit: 'c1', comments: [good, { ...good, line: 'x' }, 7] }, { commit: 5 }, null])
    expect(parseDrafts(text)).toEqual([{ commit: 'c1', comments: [good] }])
    for (const other of [null, '', '{', '7', 'null', '{"a":1}']) expect(parseDrafts(other)).toEqual([])
  })

  test('are kept by commit; without comments one goes', () => {
    const drafts = withComments([{ commit: 'c1', comments: [comment({})] }], 'c2', [comment({ id: 'j' })])
    expect(drafts.map(({ commit }) => commit)).toEqual(['c1', 'c2'])
    expect(withComments(drafts, 'c1', []).map(({ commit }) => commit)).toEqual(['c2'])
  })

  test('are sent by the new number, or say that they are about what is gone', () => {
    expect(asRequest(comment({}))).toEqual({ file: 'a.ts', line: 2, message: 'no' })
    expect(asRequest(comment({ side: 'old' })).message).toBe('(about a line that was removed: x) no')
    expect(['a/b c.ts', 'é'].every(canCommentOn)).toBe(true)
    expect(['a\u202Eb', '../x', 'a\\b', '/x', 'a\nb'].some(canCommentOn)).toBe(false)
  })
})

describe('colours', () => {
  test('are names of tones on words, line by line, and the words are all there', () => {
    const lines = highlight('typescript', ['const a = `one', 'two` // <b>', ''])
    expect(lines?.map((line) => line.map(({ text }) => text).join(''))).toEqual(['const a = `one', 'two` // <b>', ''])
    expect(lines?.[0]?.[0]).toEqual({ text: 'const', tone: 'word' })
    expect(lines?.[1]?.[0]?.tone).toBe('text')
  })

  test('long lines stay plain, and so does what is in no language', () => {
    expect(highlight('json', ['x'.repeat(1e6)])).toBeNull()
    expect([
      languageOf('a/b.TSX'),
      languageOf('Dockerfile'),
      languageOf('x.constructor'),
      languageOf('LICENSE'),
    ]).toEqual(['typescript', 'dockerfile', null, null])
  })
})
