/** A package registry on loopback with what this package needs to run, made of what is installed here: no test asks the network. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

export interface Registry {
  url: string
  /** What was asked for and is not here. */
  missing: string[]
  close(): void
}

interface Locked {
  version: string
  dev?: boolean
  deprecated?: string
  hasInstallScript?: boolean
}

/** The packages that an installation brings along, by name. */
export function shippedPackages(): Map<string, Locked> {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Record<string, Locked> }
  const shipped = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && dev !== true)
  return new Map(shipped.map(([path, locked]) => [path.replace(/^.*node_modules\//, ''), locked]))
}

/** `folder`: where the archives are made. */
export async function serveRegistry(folder: string): Promise<Registry> {
  const packages = new Map<string, { about: Record<string, unknown>; archive: Buffer }>()
  await Promise.all(
    [...shippedPackages().keys()].map(async (name) => {
      const from = join(root, 'node_modules', name)
      const archive = join(folder, `${name.replace('/', '-')}.tgz`)
      await run('tar', ['-czf', archive, '--exclude=./node_modules', '--transform=s,^\\.,package,', '-C', from, '.'])
      const about = JSON.parse(await readFile(join(from, 'package.json'), 'utf8')) as Record<string, unknown>
      packages.set(name, { about, archive: await readFile(archive) })
    }),
  )
  const missing: string[] = []
  const server = createServer(({ url = '' }, response) => {
    const path = decodeURIComponent(url.slice(1))
    const found = packages.get(path.replace(/\.tgz$/, ''))
    if (found === undefined) {
      missing.push(path)
      return response.writeHead(404, { 'content-type': 'application/json' }).end('{}')
    }
    const { about, archive } = found
    if (path.endsWith('.tgz')) return response.end(archive)
    const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`
    const dist = { tarball: `${address}/${encodeURIComponent(path)}.tgz`, integrity }
    const version = String(about['version'])
    const packument = { name: path, 'dist-tags': { latest: version }, versions: { [version]: { ...about, dist } } }
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(packument))
  })
  const listening = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', listening.resolve)
  await listening.promise
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: address,
    missing,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
