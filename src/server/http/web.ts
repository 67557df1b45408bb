/**
 * The files of the built web board: read into memory once, so that a path is only a name in a list. Every path that is
 * no file is a place on the board, which its one page finds.
 */
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { MusterError } from '../../domain/errors.ts'

interface WebFile {
  body: Buffer
  headers: Record<string, string>
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
}

/** Nothing from elsewhere, nothing inline, and nobody may put the board in a frame. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

const HASHED = '/assets/'
const PAGE = '/index.html'

export class Web {
  readonly #files = new Map<string, WebFile>()

  /** `folder`: where the built board is; without one there is nothing to show. */
  constructor(folder: string) {
    if (!existsSync(folder)) return
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      const path = join(folder, name)
      const type = TYPES[extname(name)]
      if (type === undefined || !statSync(path).isFile()) continue
      const url = `/${name.replaceAll('\\', '/')}`
      const cache = url.startsWith(HASHED) ? 'public, max-age=31536000, immutable' : 'no-store'
      const headers = { 'Content-Type': type, 'Cache-Control': cache, 'Content-Security-Policy': POLICY }
      this.#files.set(url, { body: readFileSync(path), headers })
    }
  }

  /** The file of a path, or the page for all that is no file. */
  at(path: string): WebFile {
    const page = this.#files.get(PAGE)
    if (page === undefined) {
      throw new MusterError('not_found', 'the web board has not been built', {
        hint: 'in a clone of Muster: npm run build:web',
      })
    }
    const file = this.#files.get(path) ?? (path.startsWith(HASHED) ? undefined : page)
    if (file !== undefined) return file
    throw new MusterError('not_found', 'the board has no such file', {
      hint: 'reload the page: the server has a newer version',
    })
  }
}
