/**
 * Test runners that can write a report beside what they print, and the arguments that make them. Each was tried with the
 * real program; what an argument would change about what runs, or about a report somebody asked for, makes it null.
 */
import type { ReportFormat } from './report/report.ts'

export interface Runner {
  format: ReportFormat
  /**
   * What to put right behind the runner's name, given the words that follow it (null: only the shell knows). Null if the
   * command does not run tests to an end, or has a report of its own.
   */
  arguments(words: readonly (string | null)[], path: string): string[] | null
}

/** vitest's reporters that print and never write a file: with one of others, `--outputFile` would mean two files. */
const VITEST_PRINTS = 'default|basic|verbose|dot|tree|minimal|agent|tap|tap-flat|hanging-process|github-actions'

const VITEST_REFUSES = new RegExp(
  `^(?:watch|dev|bench|list|init|-w|-h|-v|--(?:watch|ui|standalone|help|version|outputFile|mergeReports)\\b.*|--reporters?=(?!(?:${VITEST_PRINTS})$).*)$`,
)
const JEST_REFUSES =
  /^(?:-h|-v|--(?:json|outputFile|watch|watchAll|listTests|showConfig|init|clearCache|help|version)\b.*)$/
const MOCHA_REFUSES = /^(?:-[hwRVO].*|--(?:reporter|reporter-options?|watch|dry-run|list-\w+|help|version)\b.*)$/
const PYTEST_REFUSES =
  /^(?:-h|-V|(?:-p)?no:junitxml|--(?:junit-?xml|collect-only|co|fixtures|fixtures-per-test|markers|setup-only|setup-plan|help|version)\b.*)$/
const NODE_REFUSES =
  /^(?:-h|-v|-e|-p|-c|--(?:watch|watch-path|test-reporter-destination|help|version|eval|print|check)\b.*)$/
/** Options of node that may have their value as a word of its own. */
const NODE_TAKES =
  /^(?:-r|-C|--(?:require|import|loader|experimental-loader|env-file|conditions|test-name-pattern|test-skip-pattern|test-reporter|test-concurrency|test-timeout|test-shard))$/

export const RUNNERS = {
  vitest: {
    format: 'junit',
    arguments: (words, path) => {
      const joined = joinedOptions(words, /^--reporters?$/)
      if (joined.some((word) => VITEST_REFUSES.test(word))) return null
      const prints = joined.some((word) => word.startsWith('--reporter'))
      return [...(prints ? [] : ['--reporter=default']), '--reporter=junit', `--outputFile=${path}`]
    },
  },
  jest: {
    format: 'jest',
    arguments: (words, path) =>
      known(words).some((word) => JEST_REFUSES.test(word)) ? null : ['--json', `--outputFile=${path}`],
  },
  /** Has one reporter at a time: what it prints is then only what the tests themselves print. */
  mocha: {
    format: 'mocha',
    // The list-like option comes first: in front of a file it would take that for one of its values.
    arguments: (words, path) =>
      known(words).some((word) => MOCHA_REFUSES.test(word))
        ? null
        : [`--reporter-option=output=${path}`, '--reporter=json'],
  },
  pytest: {
    format: 'junit',
    // The older family has the file of each test.
    arguments: (words, path) =>
      known(words).some((word) => PYTEST_REFUSES.test(word))
        ? null
        : [`--junitxml=${path}`, '-o', 'junit_family=xunit1'],
  },
  node: {
    format: 'junit',
    arguments: (words, path) => {
      const options = nodeOptions(words)
      if (!options.includes('--test') || options.some((word) => NODE_REFUSES.test(word))) return null
      const reporters = options.filter((word) => word.startsWith('--test-reporter=')).length
      if (reporters > 1) return null
      const prints = reporters === 1 ? [] : ['--test-reporter=spec']
      // Reporters and destinations belong together by their order.
      return [
        '--test-reporter=junit',
        `--test-reporter-destination=${path}`,
        ...prints,
        '--test-reporter-destination=stdout',
      ]
    },
  },
} as const satisfies Record<string, Runner>

function known(words: readonly (string | null)[]): string[] {
  return words.filter((word) => word !== null)
}

/** With `--option value` written as `--option=value`. */
function joinedOptions(words: readonly (string | null)[], takes: RegExp): string[] {
  const joined: string[] = []
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '?'
    if (takes.test(word) && at + 1 < words.length) {
      at += 1
      joined.push(`${word}=${words[at] ?? '?'}`)
    } else joined.push(word)
  }
  return joined
}

/** Up to the first file: what follows is an argument of the file's. */
function nodeOptions(words: readonly (string | null)[]): string[] {
  const joined = joinedOptions(words, NODE_TAKES)
  const end = joined.findIndex((word) => !word.startsWith('-') || word === '--')
  return end < 0 ? joined : joined.slice(0, end)
}
