/**
 * The most likely fix for a check that cannot run at all: checks start in a clean checkout, where nothing is installed.
 */
import type { SetupConfig } from '../domain/config.ts'
import type { ReadText } from '../tools/packages.ts'
import { setupsOf } from '../tools/setup.ts'

/** `files`: the paths of the base, `read`: what those that tell of its tools say. */
export function likelyMend(setup: SetupConfig | null, files: readonly string[], read: ReadText): string {
  if (setup !== null) return 'likely fix: make `setup:` in muster.yaml install what the command needs'
  const install = setupsOf(files, read)
    .map(({ command }) => command)
    .join(' && ')
  return install === ''
    ? 'likely fix: a `setup:` in muster.yaml that installs what the command needs'
    : `likely fix: \`setup: ${install}\` in muster.yaml`
}
