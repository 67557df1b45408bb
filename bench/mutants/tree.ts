/** The copy of the tree that mutants are made in, and what of it is changed and tested. The user's own files stay as they are. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export const HERE: string = join(import.meta.dirname, '../..')
const ROOMS = /^src\/(?:domain|tools|verify|contract|engine|workspace)\//
/** They run the built program, other programs or a browser, or look at the code itself: no mutant would reach them. */
const ELSEWHERE = /^(?:src\/(?:agents|process)|test\/(?:agents|blackbox|crash|web))\/|^test\/(?:architecture|package)\./

export interface Tree {
  root: string
  /** Files that mutants are made of. */
  sources: string[]
  testFiles: string[]
}

export function copyTree(): Tree {
  const root = mkdtempSync(join(tmpdir(), 'muster-mutants-'))
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '-z']
  const names = execFileSync('git', list, { cwd: HERE, encoding: 'utf8' })
    .split('\0')
    .filter((name) => name !== '' && existsSync(join(HERE, name)))
    .sort()
  for (const name of names) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    cpSync(join(HERE, name), join(root, name))
  }
  symlinkSync(join(HERE, 'node_modules'), join(root, 'node_modules'))
  return {
    root,
    sources: names.filter((name) => ROOMS.test(name) && /(?<!\.test)\.ts$/.test(name) && !name.includes('/fixtures/')),
    testFiles: names.filter((name) => /^(?:src|test)\/.*\.test\.ts$/.test(name) && !ELSEWHERE.test(name)),
  }
}
