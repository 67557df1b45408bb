/**
 * Predicts which files of the project a task is about, from its words and the names of files: first paths that the text
 * names, then files whose own name contains its rarer words. A wrong guess can only add verification.
 */
import type { ContractFile } from '../domain/contract/contract.ts'
import { isProse } from './files.ts'
import { isPlainVerb, singular } from './sentence.ts'
import { COMMON_NAMES, DETERMINERS, FILLERS, NAMING_VERBS, STOPS } from './words.ts'

const predictionsMax = 5
const textCharsMax = 500
const namesMax = 10

/** Made once for a tree, asked for every task. */
export interface FileIndex {
  paths: readonly string[]
  /** Files by the words of their paths. */
  byWord: ReadonlyMap<string, readonly number[]>
}

export function indexFiles(paths: readonly string[]): FileIndex {
  const byWord = new Map<string, number[]>()
  for (const [index, path] of paths.entries()) {
    if (!isWorkedOn(path)) continue
    for (const word of new Set(wordsOf(path))) {
      const files = byWord.get(word)
      if (files === undefined) byWord.set(word, [index])
      else files.push(index)
    }
  }
  return { paths, byWord }
}

/** Not generated, locked, prose or a test: nobody plans to work on those. */
function isWorkedOn(path: string): boolean {
  return !isProse(path) && !NOT_WORKED_ON.some((pattern) => pattern.test(path))
}

const NOT_WORKED_ON = [
  /(?:^|\/)(?:__snapshots__|dist|node_modules|vendor)\//,
  /[.-]lock(?:\.\w+)?$|\.(?:map|min\.js|snap)$/,
  /[._](?:test|spec)\.\w+$|(?:^|\/)test_[^/]*$/,
]

export function predictFiles(text: string, index: FileIndex): ContractFile[] {
  const named = namedPaths(text, index)
  const words = [...new Set(wordsOf(text.slice(0, textCharsMax)).filter(isTelling))]
  const scores = new Map<number, { score: number; words: string[] }>()
  for (const word of words) {
    const files = index.byWord.get(word) ?? []
    // A word that half of the files have says nothing.
    if (files.length > Math.max(20, index.paths.length / 20)) continue
    const weight = 1 / Math.sqrt(files.length)
    for (const file of files) {
      const found = scores.get(file) ?? { score: 0, words: [] }
      const inName = wordsOf(index.paths[file]?.split('/').at(-1) ?? '').includes(word)
      scores.set(file, { score: found.score + weight * (inName ? 2 : 1), words: [...found.words, word] })
    }
  }
  const guessed = [...scores.entries()]
    .toSorted(([a, x], [b, y]) => y.score - x.score || a - b)
    .map(([file, found]): ContractFile => ({
      path: index.paths[file] ?? '',
      from: 'predicted',
      why: `has ${quoted(found.words)} in its path`,
    }))
  return [...named, ...guessed.filter(({ path }) => !named.some((other) => other.path === path))].slice(
    0,
    predictionsMax,
  )
}

/** A path, or the unmistakable end of one, that the text itself names. */
function namedPaths(text: string, { paths }: FileIndex): ContractFile[] {
  const parts = text
    .slice(0, textCharsMax * 4)
    .split(/[\s"'`(),;]+/)
    .map((part) => part.replace(/[.:!?]+$/, ''))
  const names = [...new Set(parts.filter((part) => /\w\/\w|\w\.\w{1,5}$/.test(part)))].slice(0, namesMax)
  return names.flatMap((name): ContractFile[] => {
    const fitting = paths.filter((path) => path === name || path.endsWith(`/${name}`))
    const [path] = fitting
    return fitting.length === 1 && path !== undefined ? [{ path, from: 'predicted', why: 'the text names it' }] : []
  })
}

/** `DarkModeToggle.tsx` has dark, mode and toggle; so has `dark_mode-toggle`. Endings of files say nothing. */
function wordsOf(text: string): string[] {
  const plain = text.replace(/\.\w{1,6}(?=\s|$)/g, ' ').replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
  return (plain.toLowerCase().match(/\p{L}{3,}/gu) ?? []).map(singular)
}

function isTelling(word: string): boolean {
  if (STOPS.has(word) || DETERMINERS.has(word) || FILLERS.has(word) || COMMON_NAMES.has(word)) return false
  return NAMING_VERBS.has(word) || !isPlainVerb(word)
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(', ')
}
