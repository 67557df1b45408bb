/**
 * Which test runs through which probe, found out by running each test file once, alone, and kept: a test file is run again
 * when it has changed, and all of them when a source file has.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Tester } from './tester.ts'
import type { FileSeen } from './tests.ts'

const fileMsMax = 300_000

/** `whole`: its tests share what was made before all of them, and may need one another. */
export type Covering = FileSeen & { whole: boolean }

export interface Coverage {
  files: Covering[]
  /** Test files that do not pass here, and so show nothing. */
  unfit: string[]
}

export const hashOf = (...texts: string[]): string =>
  texts
    .reduce((hash, text) => hash.update(text).update('\0'), createHash('sha256'))
    .digest('hex')
    .slice(0, 16)

export async function findCoverage(
  root: string,
  state: string,
  sources: readonly string[],
  testFiles: readonly string[],
  tester: Tester,
  tell: (line: string) => void,
): Promise<Coverage> {
  const text = (file: string) => readFileSync(join(root, file), 'utf8')
  const sourcesHash = hashOf(...sources.map(text))
  const dir = join(state, 'coverage')
  mkdirSync(dir, { recursive: true })
  const files: Covering[] = []
  const unfit: string[] = []
  for (const [index, file] of testFiles.entries()) {
    const kept = join(dir, `${hashOf(file, text(file), sourcesHash)}.json`)
    if (!existsSync(kept)) {
      tell(`coverage ${index + 1}/${testFiles.length}: ${file}`)
      const answer = await tester.ask({ changed: null, tests: [{ file, names: null }], timeoutMs: 60_000 }, fileMsMax)
      const seen = answer === 'no answer' ? undefined : answer.files[0]
      const fit = answer !== 'no answer' && answer.failed === null && seen?.ok === true
      // A busy machine may be to blame: it is tried again the next time.
      if (!fit) {
        unfit.push(file)
        continue
      }
      writeFileSync(kept, JSON.stringify(seen))
    }
    const seen = JSON.parse(readFileSync(kept, 'utf8')) as FileSeen
    files.push({ ...seen, whole: /\bbeforeAll\(/.test(text(file)) })
  }
  return { files, unfit }
}
