/** Test runners for JavaScript. Each was tested with the real program (docs/checks.md has the versions). */
import { beside, joinedOptions, known, plain, type Runner, type Words } from './runner.ts'

/** vitest's reporters that print and never write a file: with one of others, `--outputFile` would mean two files. */
const VITEST_PRINTS = 'default|basic|verbose|dot|tree|minimal|agent|tap|tap-flat|hanging-process|github-actions'

const VITEST_REFUSES = new RegExp(
  `^(?:watch|dev|bench|list|init|-w|-h|-v|--(?:watch|ui|standalone|help|version|outputFile|mergeReports)\\b.*|--reporters?=(?!(?:${VITEST_PRINTS})$).*)$`,
)
const JEST_REFUSES =
  /^(?:-h|-v|--(?:json|outputFile|watch|watchAll|listTests|showConfig|init|clearCache|help|version)\b.*)$/
const MOCHA_REFUSES = /^(?:-[hwV]|--(?:watch|dry-run|list-\w+|help|version)\b.*)$/
const NODE_REFUSES =
  /^(?:-h|-v|-e|-p|-c|--(?:watch|watch-path|test-reporter-destination|help|version|eval|print|check)\b.*)$/
/** Options of node that may have their value as a word of its own. */
const NODE_TAKES =
  /^(?:-r|-C|--(?:require|import|loader|experimental-loader|env-file|conditions|test-name-pattern|test-skip-pattern|test-reporter|test-concurrency|test-timeout|test-shard))$/

export const vitest: Runner = {
  ask(words, path) {
    const joined = joinedOptions(words, /^--reporters?$/)
    if (joined.some((word) => VITEST_REFUSES.test(word))) return null
    const prints = joined.some((word) => word.startsWith('--reporter'))
    const shown = prints ? [] : ['--reporter=default']
    return { from: 'file', format: 'junit', arguments: [...shown, '--reporter=junit', `--outputFile=${path}`] }
  },
}

export const jest = plain(JEST_REFUSES, (path) => ({
  from: 'file',
  format: 'jest',
  arguments: ['--json', `--outputFile=${path}`],
}))

/** Has one reporter at a time: that stays the project's, and a helper listens beside it. */
export const mocha = plain(MOCHA_REFUSES, (path) => ({
  from: 'file',
  format: 'lines',
  arguments: [`--require=${beside(path, 'mocha.cjs')}`],
  helper: { file: 'mocha.cjs', as: 'mocha.cjs' },
}))

export const jasmine = plain(
  /^(?:init|examples|enumerate|-[hv]|help|version|--(?:parallel|help|version)\b.*)$/,
  (path) => ({
    from: 'file',
    format: 'lines',
    arguments: [`--helper=${beside(path, 'jasmine.cjs')}`],
    helper: { file: 'jasmine.cjs', as: 'jasmine.cjs' },
  }),
)

/** Has no second reporter. Its events say which file a test is in, which its TAP does only while there are several. */
export const ava = plain(/^(?:-[wh]|reset-cache|debug|--(?:watch|help|version)\b.*)$/, (path) => ({
  from: 'file',
  format: 'lines',
  env: { NODE_OPTIONS: `--import=${beside(path, 'ava.mjs')} $NODE_OPTIONS` },
  helper: { file: 'ava.mjs', as: 'ava.mjs' },
}))

/** Prints TAP wherever nobody looks on, unless another reporter is configured. */
export const tap = plain(/^(?:-[hw]|repl|config|plugin|list|build|report|--(?:watch|help|version)\b.*)$/, () => ({
  from: 'output',
  format: 'tap',
}))

export const tape = plain(/^(?:-h|--(?:help|version)\b.*)$/, () => ({ from: 'output', format: 'tap' }))

/** `-r name:file` may be there several times; the last that only prints is the one that is seen. */
export const borp: Runner = {
  ask(words, path) {
    const joined = joinedOptions(words, /^(?:-r|--reporter)$/)
    if (joined.some((word) => /^(?:-w|-h|--(?:watch|help)\b.*)$/.test(word))) return null
    const prints = joined.some((word) => /^(?:-r|--reporter)=/.test(word))
    return {
      from: 'file',
      format: 'junit',
      arguments: [...(prints ? [] : ['--reporter=spec']), `--reporter=junit:${path}`],
    }
  },
}

/** The variable adds a reporter to those of the configuration, which an option would take the place of. */
export const playwright: Runner = {
  ask([first, ...words], path) {
    const refused = /^(?:-h|--(?:ui|ui-host|ui-port|list|help|debug)\b.*)$/
    if (first !== 'test' || known(words).some((word) => refused.test(word))) return null
    return {
      from: 'file',
      format: 'lines',
      env: { PW_TEST_REPORTER: beside(path, 'playwright.cjs') },
      helper: { file: 'playwright.cjs', as: 'playwright.cjs' },
    }
  },
}

export const bun: Runner = {
  ask([first, ...words], path) {
    if (first !== 'test' || known(words).some((word) => /^(?:--(?:watch|hot|reporter\w*|help)\b.*)$/.test(word)))
      return null
    return { from: 'file', format: 'junit', arguments: ['--reporter=junit', `--reporter-outfile=${path}`], behind: 1 }
  },
}

export const deno: Runner = {
  ask([first, ...words], path) {
    const refused = /^(?:--(?:watch|junit-path|no-run|reporter=junit|help)\b.*)$/
    if (first !== 'test' || known(words).some((word) => refused.test(word))) return null
    return { from: 'file', format: 'junit', arguments: [`--junit-path=${path}`], behind: 1 }
  },
}

/** node:test, also behind tsx, which hands node's options on. */
export const node: Runner = {
  ask(words, path) {
    const options = nodeOptions(words)
    if (!options.includes('--test') || options.some((word) => NODE_REFUSES.test(word))) return null
    const reporters = options.filter((word) => word.startsWith('--test-reporter=')).length
    if (reporters > 1) return null
    const prints = reporters === 1 ? [] : ['--test-reporter=spec']
    return {
      from: 'file',
      format: 'junit',
      // Reporters and destinations belong together by their order.
      arguments: [
        '--test-reporter=junit',
        `--test-reporter-destination=${path}`,
        ...prints,
        '--test-reporter-destination=stdout',
      ],
    }
  },
}

/** Up to the first file: what follows is an argument of the file's. */
function nodeOptions(words: Words): string[] {
  const joined = joinedOptions(words, NODE_TAKES)
  const end = joined.findIndex((word) => !word.startsWith('-') || word === '--')
  return end < 0 ? joined : joined.slice(0, end)
}
