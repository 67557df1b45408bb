/** Files that are hard on whoever handles them: names that are no text, sizes, kinds and rights that hang or stop others. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { World } from '../support/world.ts'

const NAMES = [
  'new\nline',
  'tab\there',
  '"quoted"',
  "it's",
  '-dash',
  '--all',
  ' space ',
  ':(top)magic',
  '\x1B[2J',
  '$(x)',
]
const bytes = (text: string, ...rest: number[]) => Buffer.concat([Buffer.from(text), Buffer.from(rest)])
/** No UTF-8: alike once they are taken for text, and one of them in a folder of that kind. */
const RAW = [bytes('raw-', 0xff), bytes('raw-', 0xfe), bytes('raw-', 0xc3), bytes('folder-', 0xe9, 0x2f, 0xe9)]

const node = (text: string) => `'${process.execPath}' -e "const fs = require('fs'); ${text}"`
/** Folders in folders, until their path is longer than the system takes, and a file. */
const DOWN = node(
  "const name = 'd'.repeat(200); for (let i = 0; i < 30; i++) { fs.mkdirSync(name); process.chdir(name) } fs.writeFileSync('bottom', '')",
)

async function world(options?: Parameters<typeof World.create>[0]): Promise<World> {
  const made = await World.create(options)
  onTestFinished(() => made.dispose())
  return made
}

/** Every name of a tree as bytes, each as one character. */
function treeNames(world: World, revision: string): string[] {
  const listed = execFileSync('git', ['ls-tree', '-r', '-z', '--name-only', revision], { cwd: world.repository })
  return listed.toString('latin1').split('\0').filter(Boolean).sort()
}

const latin = (name: string | Buffer) => Buffer.from(name).toString('latin1')

test('L36 names come through attempts and a landing byte for byte', async () => {
  const w = await world()
  const write = (name: string | Buffer, text: string) => {
    const path = Buffer.concat([Buffer.from(`${w.repository}/`), Buffer.from(name)])
    mkdirSync(path.subarray(0, path.lastIndexOf('/')), { recursive: true })
    writeFileSync(path, text)
  }
  for (const name of [...NAMES, ...RAW]) write(name, 'base\n')
  w.git('add', '--', 'README.md', '.', ':!muster.yaml')
  w.git('-c', 'user.name=A', '-c', 'user.email=a@example.invalid', 'commit', '-qm', 'Names')
  // Each file is changed and gets a neighbour; what is left out of the first round must go by its own name, too.
  w.agent(
    's-1',
    `find . -type f ! -path './.git/*' ! -name README.md ! -name '*.copy' -exec sh -c 'for f; do echo changed >"$f"; cp "$f" "$f.copy"; done' sh {} +
if [ "$MUSTER_ROUND" = 0 ]; then ln -s /etc "$(printf 'link-\\377')"; truncate -s 2G "$(printf 'huge-\\377')"; fi
verdict pass`,
  )
  await w.run('  - { id: 1, name: One }\n')
  const task = await w.task('s-1')
  expect(task).toMatchObject({ status: 'completed', round: 1 })
  expect(task.findings.flatMap(({ file, message }) => (file ? `${file}: ${message}` : []))).toEqual([
    'huge-\uFFFD: left out of the result: it is larger than 100 MB, the limit for a file of a result',
    'link-\uFFFD: left out of the result: it is a link to /etc, outside the tree',
  ])
  const all = [...NAMES, ...RAW].map(latin)
  expect(treeNames(w, 'muster/story/s')).toEqual(['README.md', ...all, ...all.map((name) => `${name}.copy`)].sort())
  expect(w.git('diff', '--diff-filter=ad', '--name-only', '-z', 'main', 'muster/story/s').split('\0')).toHaveLength(15)
})

test('pipes, sockets, huge ignored files, closed folders and endless paths stop neither the snapshot nor the removal', async () => {
  const w = await world()
  writeFileSync(join(w.repository, '.gitignore'), 'build/\n')
  w.git('add', '.gitignore')
  w.git('-c', 'user.name=A', '-c', 'user.email=a@example.invalid', 'commit', '-qm', 'Ignore')
  w.agent(
    's-1',
    `mkfifo pipe build-pipe; mkdir sub closed build; mkfifo sub/.gitignore sub/.gitattributes; rm README.md; mkfifo README.md
${node("require('net').createServer().listen('socket', () => process.exit())")}
mknod device c 1 5 2>/dev/null
truncate -s 2G build/huge; git init -q build/inner
(cd build; ${DOWN})
echo kept >closed/kept; mkdir closed/further; echo kept >closed/further/kept; chmod 000 closed/further; chmod 500 closed
verdict pass`,
  )
  w.agent('s-2', 'echo two >two; verdict pass')
  await w.run('  - { id: 1, name: One }\n  - { id: 2, name: Two, depends_on: [1] }\n')
  expect((await w.task('s-1')).findings).toEqual([])
  expect(await w.task('s-2')).toMatchObject({ status: 'completed' })
  expect(treeNames(w, 'muster/story/s')).toEqual(['.gitignore', 'closed/further/kept', 'closed/kept', 'two'])
  await w.engine.stop()
  expect(w.workspacesLeft()).toEqual([])
  expect(w.events.filter(({ type }) => type === 'workspace_left')).toEqual([])
})

test('what cannot be in a result is left out by name, and the workspace of a result that cannot be saved is kept', async () => {
  const w = await world()
  w.agent(
    's-1',
    `if [ "$MUSTER_ROUND" = 0 ]; then
  truncate -s 9G huge README.md
  ${DOWN}
  echo '*.wide working-tree-encoding=UTF-16' >.gitattributes; echo narrow >some.wide
else rm -f .gitattributes some.wide; echo one >one; fi
verdict pass`,
  )
  w.agent('s-2', 'truncate -s 9G .gitignore; echo kept >kept; verdict pass')
  await w.run('  - { id: 1, name: One }\n  - { id: 2, name: Two }\n')
  const one = await w.task('s-1')
  expect(one).toMatchObject({ status: 'completed', round: 1 })
  expect(one.findings.flatMap(({ file, message }) => (file ? `${file.slice(0, 20)}: ${message}` : [])).sort()).toEqual([
    'README.md: left out of the result: it is larger than 100 MB, the limit for a file of a result',
    expect.stringMatching(/^d+: left out of the result: it contains paths that are too long for the system/),
    'huge: left out of the result: it is larger than 100 MB, the limit for a file of a result',
    'some.wide: left out of the result: it does not have the encoding that .gitattributes declares',
  ])
  expect(await w.task('s-2')).toMatchObject({
    stage: 'review',
    waitingFor: expect.stringMatching(/\.gitignore is larger/),
  })
  expect(w.workspacesLeft()).toEqual(['s-2.r1', 's-2.r2', 's-2.r3'])
})
