/** The projects in examples/ run to their end as they are, in a copy, by the words of their own README. */
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Repo, RunDocument } from './support/muster.ts'
import { exited, makeRepo } from './support/muster.ts'

const folder = join(import.meta.dirname, '../examples')
const names = readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))

function copyOf(name: string): Repo {
  const repo = makeRepo({ agent: null })
  cpSync(join(folder, name), repo.dir, { recursive: true })
  repo.git('add', '.')
  repo.git('commit', '--quiet', '--message', 'Begin')
  return repo
}

// Without what a developer keeps in their home, such as shims of a version manager: a sandbox would hide it.
const env = { PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin` }
const run = async (repo: Repo) =>
  exited(await repo.musterWith({ env }, 'run', 'plan.yaml', '--json'), 0).json<RunDocument>().tasks

test('there are three, each with a README that begins with what to type, and listed in examples/README.md', () => {
  const list = readFileSync(join(folder, 'README.md'), 'utf8')
  expect(names).toHaveLength(3)
  for (const name of names) {
    expect(readFileSync(join(folder, name, 'README.md'), 'utf8')).toMatch(
      /^# .+\n\n```sh\n[^`]*muster run plan\.yaml\n/,
    )
    expect(list).toContain(`(${name})`)
  }
})

describe.concurrent('runs to its end', () => {
  test('javascript-library: the first attempt fails its tests, the second lands', async () => {
    const repo = copyOf('javascript-library')
    expect(await run(repo)).toMatchObject([{ id: 'slug-1', status: 'completed', round: 1, attempt: 2 }])
    expect(repo.git('diff', '--stat', 'main...muster/story/slug')).toContain('2 files changed')
  })

  test.skipIf(!existsSync('/usr/bin/python3'))('python-package: its own tests are run and counted', async () => {
    const [task] = await run(copyOf('python-package'))
    expect(task).toMatchObject({ id: 'words-1', status: 'completed', round: 0, results: { overall: 'pass' } })
  })

  test('story-with-dependencies: two tasks at once, then the third; the check holds for each', async () => {
    const repo = copyOf('story-with-dependencies')
    const tasks = await run(repo)
    expect(tasks.map(({ id, status, agent }) => [id, status, agent])).toEqual([
      ['shop-catalogue', 'completed', 'writer'],
      ['shop-menu', 'completed', null],
      ['shop-order', 'completed', null],
    ])
    expect(repo.git('show', 'muster/story/shop:site/index.html')).toContain('catalogue.html')
  })
})
