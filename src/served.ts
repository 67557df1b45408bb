/** The address of a project's server, as the server wrote it down for other commands. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Place } from './project.ts'

export const servedFile = (place: Place): string => join(place.dataDir, 'serve.json')

export interface Served {
  url: string
  /** For people at other machines. */
  shared: string | null
  pid: number
}

/** Where the project is served, as the last server wrote it down; null too while it is only half written. */
export async function servedAt(place: Place): Promise<Served | null> {
  try {
    return JSON.parse(await readFile(servedFile(place), 'utf8')) as Served
  } catch {
    return null
  }
}
