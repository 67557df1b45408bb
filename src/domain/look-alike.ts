/**
 * Letters that look like others, to notice a word that is written with foreign letters. Such a word is never accepted.
 */

/** Of the letters that verdicts are written in; full-width, mathematical and the like are taken back by Unicode itself. */
const TWINS: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ['A', 'АΑ'],
    ['C', 'СϹ'],
    ['D', 'ԀᎠ'],
    ['E', 'ЕΕ'],
    ['F', 'Ϝ'],
    ['I', 'ІΙӀ'],
    ['L', 'ᏞⅬ'],
    ['N', 'Ν'],
    ['O', 'ОΟ'],
    ['P', 'РΡ'],
    ['R', 'Ꭱ'],
    ['S', 'ЅՏ'],
    ['T', 'ТΤ'],
    ['V', 'ѴᏙ'],
    ['W', 'ԜᎳ'],
    ['a', 'аα'],
    ['c', 'сϲ'],
    ['d', 'ԁ'],
    ['e', 'еє'],
    ['i', 'іι'],
    ['n', 'ո'],
    ['o', 'оο'],
    ['p', 'рρ'],
    ['r', 'г'],
    ['s', 'ѕ'],
    ['t', 'т'],
    ['v', 'ѵν'],
    ['w', 'ԝ'],
  ].flatMap(([letter = '', twins = '']) => Array.from(twins).map((twin) => [twin, letter])),
)

/** What a reader would take it for: without marks and what is not seen, in the letters that it looks like. */
export function skeleton(text: string): string {
  const shown = text.normalize('NFKD').replace(/[\p{M}\p{Cf}\p{Cc}]/gu, '')
  return shown.replace(/[^ -~]/gu, (letter) => TWINS[letter] ?? letter)
}
