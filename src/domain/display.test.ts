import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { forDisplay } from './display.ts'

const ESC = '\u001b'
const nasty = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(ESC, `${ESC}[`, `${ESC}[31m`, `${ESC}]0;`, `${ESC}\\`, '\u009b', '\u009d', '\u0007', '\r', '31m'),
      fc.constantFrom('\u202e', '\u2066', ';', '2J', '\n', '\t', '\ud800', `${ESC}P`),
    ),
  )
  .map((parts) => parts.join(''))

describe('forDisplay', () => {
  test('keeps text, tabs, line breaks and colours', () => {
    expect(forDisplay(`a\tb\n${ESC}[1;31mred${ESC}[0m é 漢 🙂`)).toBe(`a\tb\n${ESC}[1;31mred${ESC}[0m é 漢 🙂`)
  })

  test('strips colours when asked', () => {
    expect(forDisplay(`${ESC}[38;5;8mred${ESC}[m`, { colours: false })).toBe('red')
  })

  test.each([
    ['a title', `${ESC}]0;owned\u0007ok`, 'ok'],
    ['a link', `${ESC}]8;;http://x${ESC}\\text${ESC}]8;;${ESC}\\`, 'text'],
    ['clipboard writes in C1 form', '\u009d52;c;AAAA\u009cok', 'ok'],
    ['cursor movement', `a${ESC}[2Jb${ESC}[1;1Hc`, 'abc'],
    ['CSI in C1 form, colours too', 'a\u009b31mb', 'ab'],
    ['device control strings', `${ESC}Pq#0;2${ESC}\\ok`, 'ok'],
    ['a character set switch and a reset', `${ESC}(0a${ESC}cb`, 'ab'],
    ['backspaces, bells and DEL', 'a\bb\u0007c\u007f', 'abc'],
    ['bidi overrides and isolates', 'a\u202eb\u2066c\u2069', 'abc'],
    ['a sequence that is cut off', `a${ESC}[12;`, 'a'],
  ])('removes %s', (_, text, shown) => {
    expect(forDisplay(text)).toBe(shown)
  })

  test('an unterminated string hides no more than its line', () => {
    expect(forDisplay(`${ESC}]0;hidden\nnot hidden`)).toBe('\nnot hidden')
  })

  test('a carriage return is a line break, so nothing overwrites what was shown', () => {
    expect(forDisplay('10%\r20%\r\ndone')).toBe('10%\n20%\ndone')
  })

  test('shows bytes that are not UTF-8 as U+FFFD', () => {
    expect(forDisplay(Buffer.from([0x61, 0xff, 0xfe, 0x62]))).toBe('a\ufffd\ufffdb')
  })

  test('emits no control character but newline and tab, and no escape but SGR', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const shown = forDisplay(text)
        // oxlint-disable-next-line no-control-regex
        const rest = shown.replace(/\u001b\[[0-9;:]*m/g, '')
        // oxlint-disable-next-line no-control-regex
        expect(rest).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
        expect(shown.isWellFormed()).toBe(true)
        expect(forDisplay(text, { colours: false })).not.toContain(ESC)
      }),
    )
  })

  test('is idempotent', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        expect(forDisplay(forDisplay(text))).toBe(forDisplay(text))
      }),
    )
  })

  test('is linear: a megabyte of openings takes no time to speak of', () => {
    const started = performance.now()
    forDisplay(`${ESC}]`.repeat(500_000))
    forDisplay(`${ESC}[${'1;'.repeat(500_000)}`)
    expect(performance.now() - started).toBeLessThan(2000)
  })
})
