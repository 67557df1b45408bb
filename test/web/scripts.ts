/** How much script a page of the built board loads, compressed. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

export const scriptBytesMax = 250_000
const folder = join(import.meta.dirname, '../../dist/web')

/** `paths`: as the page asked for them. */
export function scriptBytes(paths: Iterable<string>): number {
  let bytes = 0
  for (const path of paths) bytes += gzipSync(readFileSync(join(folder, path))).length
  return bytes
}
