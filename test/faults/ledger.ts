/**
 * What would be on the disk if the power went now. Files that Muster writes itself are followed call by call: what they
 * were, whether their content was synced, and whether their folder was. Of what git and workers write only the times are
 * known: it may be gone unless the store was synced after it. In workspaces nothing is ever synced.
 */
import fs from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Draw } from '../support/draw.ts'

const { existsSync, readFileSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync, mkdirSync } = fs
const bytesMax = 256 * 1024

/** Of src/process/layers.ts. */
export const isTrial = (path: string): boolean => path.includes('/.layers-')

/** Where agents and checks write. */
const WORKED_IN = /\/(?:workspaces|checkouts|layers|golden)\//

interface Entry {
  /** What a reader finds if nothing of it got to the disk; null: no such file. */
  before: Buffer | null
  /** Its content is on the disk, under whatever name. */
  synced: boolean
}

export class Ledger {
  readonly dir: string
  readonly #entries = new Map<string, Entry>()
  /** Files of Muster's own that are synced, and their names as well. */
  readonly #safe = new Set<string>()
  #syncedAt = 0
  #allAt = 0

  /** What lies there now is on the disk. */
  constructor(dir: string) {
    this.dir = dir
    this.syncAll()
  }

  /**
   * Whether this is a place whose files can be lost: not the database, which has a sync of its own, nor locks. Nor what is
   * only tried out once in a process, which would wait for the dead.
   */
  holds(path: string): boolean {
    return path.startsWith(`${this.dir}/`) && !/^(?:muster\.db|engine\.)/.test(basename(path)) && !isTrial(path)
  }

  /** From now on what git wrote until now stays. */
  barrier(): void {
    this.#syncedAt = Date.now()
  }

  /** As `sync` does. */
  syncAll(): void {
    this.barrier()
    this.#entries.clear()
    this.#allAt = Date.now()
  }

  /** It is about to be written to, made, or removed. */
  touch(path: string): void {
    if (!this.holds(path)) return
    this.#safe.delete(path)
    const known = this.#entries.get(path)
    if (known === undefined) this.#entries.set(path, { before: contentOf(path), synced: false })
    else known.synced = false
  }

  renamed(from: string, to: string): void {
    if (!this.holds(to)) return
    const moved = this.#entries.get(from)
    this.#entries.delete(from)
    this.touch(to)
    const entry = this.#entries.get(to)
    if (entry !== undefined) entry.synced = moved === undefined || moved.synced
  }

  synced(path: string): void {
    const entry = this.#entries.get(path)
    if (entry !== undefined) entry.synced = true
    // A folder: the names in it stay.
    for (const [name, named] of this.#entries) {
      if (dirname(name) !== path) continue
      if (named.synced || !existsSync(name)) {
        this.#entries.delete(name)
        this.#safe.add(name)
      } else named.before = Buffer.alloc(0)
    }
  }

  /** The power goes. */
  lose(draw: Draw): void {
    for (const [path, entry] of this.#entries) this.#loseOwn(path, entry, draw)
    for (const path of this.#others()) if (draw.chance(0.5)) damage(path, draw)
    // What is left was there.
    this.syncAll()
  }

  #loseOwn(path: string, { before, synced }: Entry, draw: Draw): void {
    if (draw.chance(0.4)) return
    if (!synced && existsSync(path) && statSync(path).isFile() && draw.chance(0.6)) return damage(path, draw)
    if (existsSync(path) && !statSync(path).isFile()) return
    if (before === null) return rmSync(path, { force: true })
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, before)
  }

  #others(): string[] {
    if (!existsSync(this.dir)) return []
    return readdirSync(this.dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => this.holds(path) && !this.#entries.has(path) && !this.#safe.has(path))
      .filter((path) => statSync(path).ctimeMs > (WORKED_IN.test(path) ? this.#allAt : this.#syncedAt))
  }
}

function damage(path: string, draw: Draw): void {
  const how = draw.next()
  if (how < 0.35) rmSync(path, { force: true })
  else truncateSync(path, how < 0.7 ? 0 : Math.floor(statSync(path).size * draw.next()))
}

function contentOf(path: string): Buffer | null {
  try {
    const info = statSync(path)
    return info.isFile() && info.size <= bytesMax ? readFileSync(path) : null
  } catch {
    return null
  }
}
