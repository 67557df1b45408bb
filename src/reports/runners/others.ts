/** Test runners for Ruby, PHP, Java and shell. */
import { known, beside, plain, type Ask, type Runner } from './runner.ts'

/** A formatter of ours would take the place of those that .rspec names: a helper listens beside them. */
export const rspec = plain(/^(?:-h|-v|--(?:help|version|init|dry-run|bisect)\b.*)$/, (path) => ({
  from: 'file',
  format: 'lines',
  arguments: ['--require', beside(path, 'rspec_report.rb')],
  helper: { file: 'rspec.rb', as: 'rspec_report.rb' },
}))

/** Minitest loads the plugins that Ruby finds; other test libraries look at none. */
function minitestWithin(path: string): Ask {
  return {
    from: 'file',
    format: 'lines',
    env: { RUBYLIB: `${beside(path, 'ruby')}:$RUBYLIB` },
    helper: { file: 'minitest_plugin.rb', as: 'ruby/minitest/muster_plugin.rb' },
    unsure: true,
  }
}

export const rake: Runner = {
  ask(words, path) {
    const given = known(words).filter((word) => !word.startsWith('-'))
    return given.length === 0 || given.some((word) => /^(?:default|tests?)(?::\w+)*$/.test(word))
      ? minitestWithin(path)
      : null
  },
}

export const rails: Runner = {
  ask: ([first], path) => (first?.startsWith('test') === true ? minitestWithin(path) : null),
}

export const ruby: Runner = {
  ask: (words, path) =>
    known(words).some((word) => /(?:^|\/)(?:test|spec)\b|_test\.rb$|-e$/.test(word)) ? minitestWithin(path) : null,
}

export const phpunit = plain(
  /^(?:-h|--(?:help|version|log-junit|list-\w+|generate-configuration|migrate-configuration|check-version)\b.*)$/,
  (path) => ({
    from: 'file',
    format: 'junit',
    arguments: ['--log-junit', path],
  }),
)

/** Surefire and Failsafe write a file for each class by themselves. */
export const maven: Runner = {
  ask(words) {
    const given = known(words)
    const phases = /^(?:test|integration-test|package|verify|install|deploy|surefire:test)$/
    if (
      !given.some((word) => phases.test(word)) ||
      given.some((word) => /^-D(?:skipTests|maven\.test\.skip)(?:=true)?$/.test(word))
    )
      return null
    return {
      from: 'places',
      format: 'junit',
      places: ['**/target/surefire-reports/TEST-*.xml', '**/target/failsafe-reports/TEST-*.xml'],
      unsure: true,
    }
  },
}

export const gradle: Runner = {
  ask(words) {
    const tasks = known(words).filter((word) => !word.startsWith('-'))
    if (!tasks.some((task) => /(?:^|:)(?:check|build|\w*[tT]est)$/.test(task))) return null
    return { from: 'places', format: 'junit', places: ['**/build/test-results/*/TEST-*.xml'], unsure: true }
  },
}

/** Prints TAP wherever nobody looks on. */
export const bats = plain(/^(?:-[hvc]|--(?:help|version|count|formatter)\b.*|-F.*)$/, () => ({
  from: 'output',
  format: 'tap',
}))
