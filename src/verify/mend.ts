/** What most likely mends a check that cannot run at all: checks start in a clean checkout, in which nothing is installed. */
import type { SetupConfig } from '../domain/config.ts'

/** By the file that says what a project needs, in the order in which they count. */
const INSTALLS: readonly [RegExp, (file: string) => string][] = [
  [/^pnpm-lock\.yaml$/, () => 'pnpm install --frozen-lockfile'],
  [/^yarn\.lock$/, () => 'yarn install'],
  [/^bun\.lockb?$/, () => 'bun install --frozen-lockfile'],
  [/^(?:package-lock|npm-shrinkwrap)\.json$/, () => 'npm ci'],
  [/^package\.json$/, () => 'npm install'],
  [/^uv\.lock$/, () => 'uv sync'],
  [/^poetry\.lock$/, () => 'poetry install'],
  [/^requirements[\w.-]*\.txt$/, (file) => `pip install -r ${file}`],
  [/^(?:pyproject\.toml|setup\.py)$/, () => 'pip install -e .'],
  [/^Gemfile$/, () => 'bundle install'],
  [/^composer\.json$/, () => 'composer install'],
]

/** `files`: the paths of the base. */
export function likelyMend(setup: SetupConfig | null, files: readonly string[]): string {
  if (setup !== null) return 'likely fix: let `setup:` in muster.yaml install what the command needs'
  const install = INSTALLS.flatMap(([name, command]) => files.filter((file) => name.test(file)).map(command))[0]
  return install === undefined
    ? 'likely fix: a `setup:` in muster.yaml that installs what the command needs'
    : `likely fix: \`setup: ${install}\` in muster.yaml`
}
