/** The board's reading of patches, on real ones of git and on some that would like to be read otherwise. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { parsePatch } from '../../web/diff/patch.ts'

const dir = mkdtempSync(join(tmpdir(), 'muster-patch-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))
const git = (...args: string[]) =>
  execFileSync(
    'git',
    ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.invalid', '-c', 'core.quotePath=false', ...args],
    {
      cwd: dir,
      encoding: 'utf8',
    },
  )
const write = (name: string, text: string | Buffer) => writeFileSync(join(dir, name), text)

describe('a patch of git', () => {
  test('renames, modes, binaries, ends without a line break, names of every kind, lines that look like headers', () => {
    git('init', '-q')
    const lines = Array.from({ length: 30 }, (_, n) => `line ${n}`).join('\n')
    write('old name.txt', `${lines}\n`)
    write('run.sh', 'echo hi\n')
    write('gone.txt', '-- a/gone.txt\n++ b/gone.txt\n')
    write('edge.txt', 'one\ntwo')
    write('pixel.bin', Buffer.from([0, 1, 2, 0]))
    git('add', '-A')
    git('commit', '-qm', 'one')
    renameSync(join(dir, 'old name.txt'), join(dir, 'new name.txt'))
    write('new name.txt', `${lines.replace('line 3', 'line three')}\n`)
    chmodSync(join(dir, 'run.sh'), 0o755)
    rmSync(join(dir, 'gone.txt'))
    write('edge.txt', 'one\n2')
    write('pixel.bin', Buffer.from([0, 3, 0]))
    write('tab\there "é".txt', 'x\n')
    write('+++ b', 'diff --git a/evil b/evil\n@@ -1 +1 @@\n\\ No newline at end of file\n')
    write('empty', '')
    git('add', '-A')
    const files = parsePatch(git('diff', '--cached', 'HEAD'))
    const told = files.map(({ path, from, status, oldMode, newMode, binary, added, removed, cut }) =>
      [path, from, status, oldMode, newMode, binary, added, removed, cut].join('|'),
    )
    expect(told.toSorted()).toEqual(
      [
        '+++ b||added||100644|false|3|0|false',
        'edge.txt||modified|||false|1|1|false',
        'empty||added||100644|false|0|0|false',
        'gone.txt||deleted|100644||false|0|2|false',
        'new name.txt|old name.txt|renamed|||false|1|1|false',
        'pixel.bin||modified|||true|0|0|false',
        'run.sh||modified|100644|100755|false|0|0|false',
        'tab\there "é".txt||added||100644|false|1|0|false',
      ].toSorted(),
    )
    const edge = files.find(({ path }) => path === 'edge.txt')
    expect(edge?.hunks[0]?.lines).toEqual([
      { sign: ' ', text: 'one', old: 1, new: 1, open: false },
      { sign: '-', text: 'two', old: 2, new: null, open: true },
      { sign: '+', text: '2', old: null, new: 2, open: true },
    ])
    expect(files.find(({ path }) => path === '+++ b')?.hunks[0]?.lines.map(({ text }) => text)).toEqual([
      'diff --git a/evil b/evil',
      '@@ -1 +1 @@',
      '\\ No newline at end of file',
    ])
  })

  test('of several parents at once', () => {
    const patch = [
      'diff --cc a.txt',
      'index 1,2..3',
      '--- a/a.txt',
      '+++ b/a.txt',
      '@@@ -1,2 -1,2 +1,3 @@@ where',
      '  same',
      '- ours',
      ' -theirs',
      '++both',
      '++more',
      'diff --git a/b b/b',
      'old mode 100644',
      'new mode 100755',
      '',
    ].join('\n')
    expect(parsePatch(patch)).toMatchObject([
      {
        path: 'a.txt',
        added: 2,
        removed: 2,
        cut: false,
        hunks: [
          { heading: 'where', lines: [{ new: 1 }, { sign: '-', new: null }, {}, { new: 2 }, { text: 'more', new: 3 }] },
        ],
      },
      { path: 'b', newMode: '100755', hunks: [] },
    ])
  })
})

describe('a patch that was cut', () => {
  const patch = 'diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@ f()\n one\n-two\n+2\n three\n'

  test('says so, in a hunk and behind one', () => {
    expect(parsePatch(patch)).toMatchObject([{ cut: false, hunks: [{ heading: 'f()', lines: { length: 4 } }] }])
    expect(parsePatch(patch.slice(0, -8))).toMatchObject([{ cut: true }])
    expect(parsePatch(patch, [0])).toMatchObject([{ cut: true }])
  })

  test('nothing makes it throw', () => {
    const words = fc.constantFrom(
      'diff --git ',
      'diff --cc ',
      'a/x b/x',
      '"a/\\303" "b/\\3"',
      '@@ -1,2 +1 @@',
      '@@@ -1 -1 +1 @@@',
      '--- ',
      '+++ ',
      'rename from ',
      '\n',
      '+',
      '-',
      ' ',
      '\\',
      '\t',
      '99999999999',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(words, fc.string())), (parts) => {
        const text = parts.join('')
        const lines = parsePatch(text).flatMap(({ hunks }) => hunks.flatMap((hunk) => hunk.lines))
        expect(lines.length).toBeLessThanOrEqual(text.split('\n').length)
      }),
      { numRuns: 300 },
    )
  })

  test('what stands between files, such as the word of a submodule, is no file', () => {
    const text = `Submodule lib 123..456:\n${patch.replaceAll('a/a', 'a/lib/a').replaceAll('b/a', 'b/lib/a')}`
    expect(parsePatch(text)).toMatchObject([{ path: 'lib/a', added: 1, removed: 1 }])
  })
})
