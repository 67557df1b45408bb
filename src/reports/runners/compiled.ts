/** Test runners for compiled languages and their build tools. */
import { shellQuote } from '../../tools/words.ts'
import { pytestWithin } from './python.ts'
import { beside, known, plain, type Runner } from './runner.ts'

/**
 * `go test -json` prints nothing else: what people see is put together again from its events. The exit code is that of go,
 * which a pipe would swallow.
 */
export const go: Runner = {
  ask([first, ...words], path) {
    const given = known(words)
    if (first !== 'test' || given.some((word) => /^--?(?:c|n|list|bench|fuzz|exec|help|h)(?:=.*)?$/.test(word)))
      return null
    const isJson = given.some((word) => /^--?json(?:=true)?$/.test(word))
    const isLoud = given.some((word) => /^--?(?:test\.)?v(?:=.*)?$/.test(word))
    const show = isJson ? 'cat' : `awk ${isLoud ? '-v v=1 ' : ''}-f ${shellQuote(beside(path, 'go.awk'))}`
    const file = shellQuote(path)
    return {
      from: 'file',
      format: 'go',
      arguments: isJson ? [] : ['-json'],
      behind: 1,
      helper: { file: 'go.awk', as: 'go.awk' },
      around(command, redirections) {
        if (!/^(?:\s*2>\s*(?:&1|[\w./-]+))?\s*$/.test(redirections)) return null
        const begin = `{ { { { grep '^module ' go.mod >${file} 2>/dev/null`
        const run = `${command} 3>&- 4>&-; echo $? >&3; } | tee -a ${file} | ${show} >&4; } 3>&1`
        return `${begin}; ${run} | { read -r code; exit "$code"; }; } 4>&1; }`
      },
    }
  },
}

export const gotestsum = plain(/^(?:-h|tool|help|--(?:help|version|watch|junitfile)\b.*)$/, (path) => ({
  from: 'file',
  format: 'junit',
  arguments: [`--junitfile=${path}`],
}))

/** Stable Rust's test programs write no report; what they print names every test, and says how many there were. */
export const cargo: Runner = {
  ask(words) {
    const given = known(words)
    const verb = given.find((word) => !word.startsWith('+'))
    const refused = /^(?:-h|-q|--(?:help|no-run|list|format|message-format|quiet)\b.*)$/
    return (verb === 'test' || verb === 't') && !given.some((word) => refused.test(word))
      ? { from: 'output', format: 'cargo' }
      : null
  },
}

export const ctest = plain(
  /^(?:-N|-h|-D|-S|-M|-T|--(?:show-only|help|version|output-junit|print-labels|build-and-test|dashboard|script)\b.*)$/,
  (path) => ({
    from: 'file',
    format: 'junit',
    arguments: ['--output-junit', path],
  }),
)

/** Writes its report below the build folder by itself. */
export const meson: Runner = {
  ask([first, ...words]) {
    if (first !== 'test' || known(words).some((word) => /^(?:-h|--(?:help|list|benchmark)\b.*)$/.test(word)))
      return null
    return { from: 'places', format: 'junit', places: ['**/meson-logs/testlog*.junit.xml'] }
  },
}

/** Automake's `check`, meson's `test` behind ninja, or whatever else a makefile, a justfile or a Taskfile runs. */
export const make: Runner = {
  ask(words, path) {
    const targets = known(words).filter((word) => /^[\w:.-]+$/.test(word) && !word.startsWith('-'))
    const isTest = targets.some((target) => /^(?:check|(?:unit-?)?tests?)(?:[:_-].*)?$/.test(target))
    return isTest ? pytestWithin(path, 'pytest') : null
  },
}

export const ninja: Runner = {
  ask: (words) =>
    known(words).some((word) => word === 'test' || word === 'meson-test')
      ? { from: 'places', format: 'junit', places: ['**/meson-logs/testlog*.junit.xml'], unsure: true }
      : null,
}
