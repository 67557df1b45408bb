import { describe, expect, test } from 'vitest'
import { coveredFiles } from './coverage.ts'

const files = (text: string, cwd = '') => coveredFiles(text, '/box', cwd)

describe('H-3 files that a coverage report says were executed', () => {
  test('lcov: those with a line that ran', () => {
    const text = [
      'TN:\nSF:src/toggle.js\nFN:1,toggle\nDA:1,3\nDA:2,0\nend_of_record',
      'SF:src/idle.js\nDA:1,0\nDA:2,00\nend_of_record',
      'SF:/box/lib/whole.js\nDA:1,10\nend_of_record',
    ].join('\n')
    expect(files(text)).toEqual(['src/toggle.js', 'lib/whole.js'])
  })

  test('lcov of a folder: its paths are from there', () => {
    expect(files('SF:src/a.js\nDA:1,1\nend_of_record\n', 'packages/one')).toEqual(['packages/one/src/a.js'])
  })

  test('istanbul: those with a statement that ran', () => {
    const text = JSON.stringify({
      '/box/src/toggle.js': { path: '/box/src/toggle.js', s: { 0: 0, 1: 2 } },
      '/box/src/idle.js': { s: { 0: 0 } },
      '/box/src/empty.js': {},
    })
    expect(files(text)).toEqual(['src/toggle.js'])
  })

  test('Cobertura: from whichever of its sources, or from where it ran', () => {
    const text = `<?xml version="1.0" ?>
      <!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">
      <coverage><sources><source>/box/src</source></sources><packages><package><classes>
      <class filename="kit/codec.py"><lines><line number="1" hits="0"/><line number="2" hits="1"/></lines></class>
      <class filename="kit/idle.py"><lines><line number="1" hits="0"/></lines></class>
      </classes></package></packages></coverage>`
    expect(files(text)).toEqual(['kit/codec.py', 'src/kit/codec.py'])
  })

  test('nothing outside of the tree, and nothing from what cannot be read', () => {
    expect(files('SF:/etc/passwd\nDA:1,1\nend_of_record\nSF:../out.js\nDA:1,1\nend_of_record')).toEqual([])
    for (const text of ['', '{', '{"a":null}', '<coverage>', '<a/>', 'SF:\nDA:1,1', '\0\0', '[1]']) {
      expect(files(text), text).toEqual([])
    }
  })
})
