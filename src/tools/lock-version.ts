/** Lock files from newer tools than Muster knows: if the setup fails, this note says why. */
import type { ReadText } from './packages.ts'

interface Lock {
  file: string
  /** Its version is the first group. */
  version: RegExp
  known: number
  program: string
}

const LOCKS: readonly Lock[] = [
  { file: 'package-lock.json', version: /"lockfileVersion"\s*:\s*(\d+)/, known: 3, program: 'npm' },
  { file: 'pnpm-lock.yaml', version: /^lockfileVersion:\s*['"]?(\d+)/m, known: 9, program: 'pnpm' },
  { file: 'yarn.lock', version: /^__metadata:\s*\n\s+version:\s*(\d+)/m, known: 10, program: 'yarn' },
  { file: 'bun.lock', version: /"lockfileVersion"\s*:\s*(\d+)/, known: 2, program: 'bun' },
  { file: 'uv.lock', version: /^version\s*=\s*(\d+)/m, known: 1, program: 'uv' },
  { file: 'poetry.lock', version: /^lock-version\s*=\s*"(\d+)/m, known: 2, program: 'poetry' },
  { file: 'Cargo.lock', version: /^version\s*=\s*(\d+)/m, known: 4, program: 'cargo' },
]

export function lockNotes(files: readonly string[], read: ReadText): string[] {
  return LOCKS.flatMap(({ file, version, known, program }) => {
    const found = files.includes(file) ? Number(version.exec(read(file) ?? '')?.[1] ?? 0) : 0
    if (found <= known) return []
    return [
      `${file} has version ${found}, newer than the ${known} that Muster knows: if setup fails, update ${program} on this machine`,
    ]
  })
}
