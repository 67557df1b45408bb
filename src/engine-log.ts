/** The engine's own log, `muster.log`: what happened, for people who must find out why. */
import { existsSync, statSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { ProbeEvent } from './ports/probe.ts'
import type { Place } from './project.ts'

const logBytesMax = 16 * 1024 * 1024

export const logFile = (place: Place): string => join(place.dataDir, 'muster.log')

/** Every probe event but the agents' output, which has logs of its own. */
export async function openLog(place: Place): Promise<{ write(event: ProbeEvent): void; close(): void }> {
  const file = logFile(place)
  if (existsSync(file) && statSync(file).size > logBytesMax) await rename(file, `${file}.1`)
  const { pino, destination } = await import('pino')
  const stream = destination({ dest: file, sync: true, mode: 0o600 })
  const logger = pino({ base: { pid: process.pid } }, stream)
  return {
    write: ({ type, at: _at, ...rest }) => void (type === 'output' || logger.info({ event: type, ...rest })),
    close: () => stream.end(),
  }
}
