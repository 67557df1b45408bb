/** What the scripted agent does to a repository: a good change and four others, each as a patch against the fix's parent. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Fix } from './history.ts'
import { must } from './shell.ts'

export const CHANGES = ['good', 'slow', 'nothing', 'broken', 'deleted'] as const
export type Change = (typeof CHANGES)[number]

/** Of each change: the agent's command, and whether it may land with nobody asked. */
export interface Variant {
  change: Change
  agent: string
  mayLand: boolean
}

export function variantsOf(fix: Fix, dir: string, folder: string, home: string): Variant[] {
  const patch = (name: string, paths: readonly string[]): string => {
    const file = join(folder, `${name}.patch`)
    writeFileSync(file, must(['git', 'diff', '--binary', fix.parent, fix.commit, '--', ...paths], dir, home))
    return `git apply --whitespace=nowarn '${file}'`
  }
  const whole = patch('good', ['.'])
  const [test = ''] = fix.tests
  return [
    { change: 'good', agent: whole, mayLand: true },
    { change: 'slow', agent: `${whole} && sleep 3`, mayLand: true },
    { change: 'nothing', agent: 'true', mayLand: false },
    // The tests of the fix, without the fix.
    { change: 'broken', agent: patch('broken', fix.tests), mayLand: false },
    // The fix, with a file of tests gone.
    {
      change: 'deleted',
      agent: `${patch('sources', fix.sources)} && rm -- '${test.replaceAll("'", `'\\''`)}'`,
      mayLand: false,
    },
  ]
}
