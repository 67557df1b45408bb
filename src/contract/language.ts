/** Whether a text is in English, the only language classification reads. In doubt it is. */
import { isVerb } from './sentence.ts'
import { DETERMINERS, FOREIGN, STOPS } from './words.ts'

const charsMax = 500

export function isEnglish(whole: string): boolean {
  const text = whole.slice(0, charsMax)
  const letters = text.match(/\p{L}/gu) ?? []
  const latin = letters.filter((letter) => /\p{Script=Latin}/u.test(letter))
  if (latin.length < letters.length * 0.6) return false
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? []
  const accented = words.filter((word) => /[^\p{ASCII}]/u.test(word))
  const foreign = words.filter((word) => FOREIGN.has(word))
  const english = words.filter((word) => STOPS.has(word) || DETERMINERS.has(word) || isVerb({ word, kind: 'word' }))
  return foreign.length + accented.length / 2 <= english.length
}
