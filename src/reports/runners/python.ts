/** Test runners for Python, and programs that run them in separate environments. */
import { beside, known, plain, type Ask, type Runner } from './runner.ts'

const PYTEST_REFUSES =
  /^(?:-h|-V|(?:-p)?no:junitxml|--(?:junit-?xml|collect-only|co|fixtures|fixtures-per-test|markers|setup-only|setup-plan|help|version)\b.*)$/

export const pytest = plain(PYTEST_REFUSES, (path) => ({
  from: 'file',
  format: 'junit',
  // The older family has the file of each test.
  arguments: [`--junitxml=${path}`, '-o', 'junit_family=xunit1'],
}))

/** `-m unittest`: the helper runs the same with the same words, and also writes what each test came to. */
export const unittest: Runner = {
  ask(words, path) {
    if (known(words).some((word) => /^(?:-h|--help)$/.test(word))) return null
    const helper = { file: 'unittest.py', as: 'unittest_report.py' }
    return { from: 'file', format: 'lines', arguments: [beside(path, helper.as)], behind: 1, instead: true, helper }
  },
}

/** pytest behind another program takes its options from a variable; `each` tells the runs of one command apart. */
export function pytestWithin(path: string, each: string): Ask {
  const options = `--junitxml=${path}.${each} -o junit_family=xunit1`
  return { from: 'file', format: 'junit', env: { PYTEST_ADDOPTS: `$PYTEST_ADDOPTS ${options}` }, unsure: true }
}

/** tox hides the variables of others: the third edition is asked with one variable to pass one on, the fourth with another. */
export const tox: Runner = {
  ask(words, path) {
    if (
      known(words).some((word) =>
        /^(?:-h|-l|-a|--(?:help|version|listenvs\S*|showconfig|notest|devenv)\b.*)$/.test(word),
      )
    )
      return null
    const asked = pytestWithin(path, '\\$TOX_ENV_NAME')
    const passes = { TOX_TESTENV_PASSENV: 'PYTEST_ADDOPTS', TOX_OVERRIDE: 'testenv.pass_env+=PYTEST_ADDOPTS' }
    return { ...asked, env: { ...asked.env, ...passes } }
  },
}

export const nox = plain(/^(?:-h|-l|--(?:help|version|list|list-sessions|install-only)\b.*)$/, (path) =>
  pytestWithin(path, '\\$NOX_CURRENT_SESSION'),
)
