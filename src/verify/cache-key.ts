/**
 * The key under which a command's result is stored: everything that the result depends on. If a file or variable is
 * missing here, an old result could pass for a new one.
 */
import { createHash } from 'node:crypto'
import { lstat, readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ProjectConfig } from '../domain/config.ts'
import type { Command, ExecuteParts } from './execute.ts'

/** Of how executions are kept, and of how commands are asked for reports: with either, old results are of no use. */
const format = 4
/** Larger files are told apart by size and time. */
const copiedBytesMax = 1024 * 1024

export async function cacheKey(
  { environment, projectRoot }: Pick<ExecuteParts, 'environment' | 'projectRoot'>,
  { resolved, env, timeoutMs, network, report, tests = false, services = [], restored = [] }: Command,
  tree: string,
  { setup, copy }: ProjectConfig,
): Promise<string> {
  const { prefix, command, cwd } = resolved
  const beside = services.flatMap(({ run, ready, stop }) => [run, ready ?? '', stop ?? ''])
  const programs = [command, ...beside].join(' ').match(/[\w.-]+/g) ?? []
  const machine = await environment([...env, ...services.flatMap((service) => service.env)], programs)
  const copied = await Promise.all(copy.map((path) => digestOf(join(projectRoot, path))))
  const asked = [prefix, command, cwd, timeoutMs, network, report, tests, restored, ...services]
  const what = [format, tree, asked, setup, copy, copied, machine]
  return createHash('sha256').update(JSON.stringify(what)).digest('hex')
}

/** Of a file, or of a folder with everything in it. */
async function digestOf(path: string): Promise<string> {
  const info = await lstat(path).catch(() => null)
  if (info === null) return 'missing'
  if (info.isDirectory()) {
    const names = (await readdir(path)).toSorted()
    return hash(JSON.stringify(await Promise.all(names.map(async (name) => [name, await digestOf(join(path, name))]))))
  }
  if (info.size > copiedBytesMax || !info.isFile()) return `${info.size} ${info.mtimeMs}`
  return hash(await readFile(path))
}

function hash(what: string | Buffer): string {
  return createHash('sha256').update(what).digest('hex')
}
