import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { removeTree } from './remove.ts'

const top = mkdtempSync(join(tmpdir(), 'muster-remove-'))
afterEach(() => rmSync(top, { recursive: true, force: true }))

/** Root may remove anything, so as root it runs in a process without that right. */
const plain =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search', '--inh-caps=-all'] : ['env']

function run(...command: string[]): void {
  const [program = '', ...args] = [...plain, ...command]
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
}

function removeAsUser(path: string): void {
  const script = `await (await import(${JSON.stringify(join(import.meta.dirname, 'remove.ts'))})).removeTree(process.argv[1])`
  run(process.execPath, '--input-type=module', '-e', script, path)
}

function canRun(): boolean {
  try {
    run('true')
    return true
  } catch {
    return false
  }
}

test.skipIf(!canRun())(
  'folders that may not be written to or looked into go as well; what a link leads to stays as it is',
  () => {
    const [cache, outside] = [join(top, 'work/cache/module'), join(top, 'outside')]
    for (const dir of [cache, outside]) {
      mkdirSync(dir, { recursive: true })
      writeFileSync(join(dir, 'file'), 'text')
    }
    symlinkSync(outside, join(top, 'work/cache/link'))
    chmodSync(outside, 0o755)
    for (const dir of [cache, join(top, 'work/cache')]) chmodSync(dir, 0o555)
    chmodSync(join(top, 'work'), 0o000)
    removeAsUser(join(top, 'work'))
    expect(existsSync(join(top, 'work'))).toBe(false)
    expect(existsSync(join(outside, 'file'))).toBe(true)
    expect(statSync(outside).mode & 0o777).toBe(0o755)
  },
)

test('what is not there is no error', async () => {
  await expect(removeTree(join(top, 'nowhere'))).resolves.toBeUndefined()
})
