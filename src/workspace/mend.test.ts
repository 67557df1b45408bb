import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { beginRepository } from '../../test/support/begun.ts'
import { FETCH, git } from './git.ts'
import { damageIn, mendMirror } from './mend.ts'

test.each(['kept', 'gone'])(
  'F-1 the index of a pack that is %s, cut short before anything named it, is mended',
  async (which) => {
    const top = mkdtempSync(join(tmpdir(), 'muster-mend-'))
    onTestFinished(() => rmSync(top, { recursive: true }))
    const [user, mirror] = [join(top, 'repo'), join(top, 'mirror.git')]
    beginRepository(user)
    execFileSync('git', ['init', '-q', '--bare', mirror])
    const fetch = ['main:refs/heads/kept', 'main'].map((what) => [...FETCH, join(user, '.git'), what])
    await git(fetch[1] ?? [], { gitDir: mirror })
    expect(await damageIn(mirror)).toEqual([])
    const pack = join(mirror, 'objects/pack')
    for (const name of readdirSync(pack).filter((one) => one.endsWith('.idx'))) {
      chmodSync(join(pack, name), 0o600)
      truncateSync(join(pack, name), 10)
      if (which === 'gone') rmSync(join(pack, name.replace(/idx$/, 'pack')))
    }
    await expect(git(fetch[0] ?? [], { gitDir: mirror })).rejects.toThrow('too small')
    expect(await damageIn(mirror)).not.toEqual([])
    expect(await mendMirror(mirror, { userGitDirs: async () => [join(user, '.git')] })).toEqual([])
    await git(fetch[0] ?? [], { gitDir: mirror })
    expect(await damageIn(mirror)).toEqual([])
  },
)

test('F-1 a pack that was cut short and whose index is gone is mended', async () => {
  const top = mkdtempSync(join(tmpdir(), 'muster-mend-'))
  onTestFinished(() => rmSync(top, { recursive: true }))
  const [user, mirror] = [join(top, 'repo'), join(top, 'mirror.git')]
  beginRepository(user)
  execFileSync('git', ['init', '-q', '--bare', mirror])
  const fetch = [...FETCH, join(user, '.git'), 'main']
  await git(fetch, { gitDir: mirror })
  const pack = join(mirror, 'objects/pack')
  for (const name of readdirSync(pack).filter((one) => one.endsWith('.pack'))) {
    chmodSync(join(pack, name), 0o600)
    truncateSync(join(pack, name), 10)
    rmSync(join(pack, name.replace(/pack$/, 'idx')))
  }
  expect(await damageIn(mirror)).toEqual([expect.stringContaining('is there without')])
  expect(await mendMirror(mirror, { userGitDirs: async () => [join(user, '.git')] })).toEqual([])
  await git(fetch, { gitDir: mirror })
  expect(await damageIn(mirror)).toEqual([])
})
