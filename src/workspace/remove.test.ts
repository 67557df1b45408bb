import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { asUser } from '../../test/support/as-user.ts'
import { removeTree } from './remove.ts'

function tempFolder(): string {
  const top = mkdtempSync(join(tmpdir(), 'muster-remove-'))
  onTestFinished(() => {
    execFileSync('chmod', ['-R', 'u+rwx', top])
    rmSync(top, { recursive: true, force: true })
  })
  mkdirSync(join(top, 'work/a/b'), { recursive: true })
  writeFileSync(join(top, 'work/a/b/file'), 'x')
  return top
}

test.each([0o555, 0o000])('a folder with rights %o is no obstacle, also for those who are not root', async (mode) => {
  const top = tempFolder()
  for (const folder of ['work/a/b', 'work/a']) chmodSync(join(top, folder), mode)
  await asUser(top, () => removeTree(join(top, 'work')))
  expect(existsSync(join(top, 'work'))).toBe(false)
})

test('a path longer than the system takes is no obstacle', async () => {
  const top = tempFolder()
  const down = "const name = 'd'.repeat(200); for (let i = 0; i < 30; i++) { fs.mkdirSync(name); process.chdir(name) }"
  execFileSync(process.execPath, ['-e', down], { cwd: join(top, 'work') })
  await removeTree(join(top, 'work'))
  expect(existsSync(join(top, 'work'))).toBe(false)
})

test('links are removed and not followed, and what is not there need not be', async () => {
  const top = tempFolder()
  const kept = join(top, 'kept')
  mkdirSync(kept)
  writeFileSync(join(kept, 'file'), 'x')
  chmodSync(kept, 0o500)
  symlinkSync(kept, join(top, 'work/a/b/link'))
  chmodSync(join(top, 'work/a/b'), 0o500)
  await asUser(top, () => removeTree(join(top, 'work')))
  symlinkSync(kept, join(top, 'work'))
  for (let times = 0; times < 2; times++) await removeTree(join(top, 'work'))
  expect(existsSync(join(kept, 'file'))).toBe(true)
})

test('folders that may not be written to or looked into go as well; what a link leads to stays as it is', async () => {
  const top = tempFolder()
  const [cache, outside] = [join(top, 'work/cache/module'), join(top, 'outside')]
  for (const dir of [cache, outside]) {
    mkdirSync(dir, { recursive: true })
    writeFileSync(join(dir, 'file'), 'text')
  }
  symlinkSync(outside, join(top, 'work/cache/link'))
  chmodSync(outside, 0o555)
  for (const dir of [cache, join(top, 'work/cache')]) chmodSync(dir, 0o555)
  chmodSync(join(top, 'work'), 0o000)
  await asUser(top, () => removeTree(join(top, 'work')))
  expect(existsSync(join(top, 'work'))).toBe(false)
  expect(existsSync(join(outside, 'file'))).toBe(true)
  expect(statSync(outside).mode & 0o777).toBe(0o555)
})

test('what is not there is no error', async () => {
  await expect(removeTree(join(tempFolder(), 'nowhere'))).resolves.toBeUndefined()
})
