/** Reads the verdict file of a worker as something that an untrusted program made. */
import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { verdictBytesMax } from '../../domain/limits.ts'
import type { VerdictFile } from './end.ts'

/** Never follows a link, never waits for a pipe, never reads more than a verdict may have. */
export async function readVerdictFile(path: string): Promise<VerdictFile> {
  let file: FileHandle
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return { kind: 'missing' }
    return {
      kind: 'refused',
      why: code === 'ELOOP' ? 'it is a symbolic link' : `it cannot be read (${code ?? 'unknown'})`,
    }
  }
  try {
    if (!(await file.stat()).isFile()) return { kind: 'refused', why: 'it is not a regular file' }
    const buffer = Buffer.alloc(verdictBytesMax + 1)
    let bytes = 0
    for (;;) {
      const { bytesRead } = await file.read(buffer, bytes, buffer.length - bytes, bytes)
      bytes += bytesRead
      if (bytesRead === 0 || bytes === buffer.length) break
    }
    if (bytes > verdictBytesMax) return { kind: 'refused', why: `it is larger than ${verdictBytesMax} bytes` }
    return { kind: 'text', text: buffer.toString('utf8', 0, bytes) }
  } catch (error) {
    return { kind: 'refused', why: `it cannot be read (${(error as Error).message})` }
  } finally {
    await file.close()
  }
}
