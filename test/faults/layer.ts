/**
 * The layer below Muster's own file and git writes: the functions of node:fs and the start of processes, replaced for
 * whoever runs within a life (life.ts) and untouched for everybody else in the process.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { ChildProcess } from 'node:child_process'
import childProcess from 'node:child_process'
import fs from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import type { RunOptions } from '../../src/process/run-here.ts'
import { runHere } from '../../src/process/run-here.ts'
import { isTrial } from './ledger.ts'
import type { Life } from './life.ts'
import { endGroup } from './life.ts'

const lives = new AsyncLocalStorage<Life | 'outside'>()
/** Of a process that is one life from beginning to end. */
let only: Life | undefined

function current(): Life | undefined {
  const life = lives.getStore() ?? only
  return life === 'outside' ? undefined : life
}

/** What node itself does for one call is no call of Muster's. */
const beyond = (real: Call): Call =>
  function (this: unknown, ...args) {
    return outside(() => real.apply(this, args))
  }

type Call = (...args: unknown[]) => unknown
const BOOT = '/proc/sys/kernel/random/boot_id'
const WRITES = /[wa+]/

export function within<T>(life: Life, work: () => Promise<T>): Promise<T> {
  return lives.run(life, work)
}

/** What is no call of Muster's. */
export function outside<T>(work: () => T): T {
  return lives.run('outside', work)
}

export function liveOnly(life: Life): void {
  only = life
}

/** Puts the layer in place; returns what takes it away again. */
export function lay(): () => void {
  const undo: (() => void)[] = []
  const replace = (owner: object, name: string, make: (real: Call) => Call, wrap = beyond): void => {
    const real: unknown = Reflect.get(owner, name)
    if (typeof real !== 'function') throw new Error(`there is no ${name}`)
    Reflect.set(owner, name, make(wrap(real as Call)))
    undo.push(() => void Reflect.set(owner, name, real))
  }
  for (const name of ['writeFile', 'appendFile', 'mkdir', 'rm', 'utimes', 'chmod', 'symlink']) {
    const at = name === 'symlink' ? 1 : 0
    replace(fs.promises, name, (real) => laterOn(name, at, real))
    replace(fs, `${name}Sync`, (real) => atOnce(name, at, real))
  }
  for (const name of ['rename', 'copyFile', 'link', 'cp']) {
    replace(fs.promises, name, (real) => laterOn(name, 1, real))
    replace(fs, `${name}Sync`, (real) => atOnce(name, 1, real))
  }
  replace(fs.promises, 'open', opening)
  replace(fs, 'openSync', (real) => {
    const writing = atOnce('open', 0, real)
    return (...args) => (typeof args[1] === 'string' && WRITES.test(args[1]) ? writing(...args) : real(...args))
  })
  replace(fs, 'readFileSync', (real) => (...args) => {
    const boot = args[0] === BOOT ? (current()?.boot ?? null) : null
    return boot === null ? real(...args) : `${boot}\n`
  })
  // What becomes of a process is told to the life that started it.
  const asIs = (real: Call) => real
  replace(childProcess, 'spawn', spawning, asIs)
  replace(childProcess, 'fork', forking, asIs)
  syncBuiltinESMExports()
  return () => {
    for (const one of undo) one()
    syncBuiltinESMExports()
  }
}

/** The life that this path is followed in. */
function lifeAt(path: unknown): Life | undefined {
  const life = current()
  return life?.ledger.holds(String(path)) === true ? life : undefined
}

/** The data directory itself, which is opened to be synced. */
function folderIn(path: string): Life | undefined {
  const life = current()
  return life?.ledger.dir === path ? life : undefined
}

function laterOn(name: string, at: number, real: Call): Call {
  return function (this: unknown, ...args) {
    const life = lifeAt(args[at])
    if (life === undefined) return real.apply(this, args)
    const paths = [String(args[0]), String(args[at])] as const
    return life.meets(
      `${name} ${short(life, paths[1])}`,
      async () => {
        noteBefore(life, name, paths)
        return real.apply(this, args)
      },
      async () => half(life, name, args, real),
    )
  }
}

function atOnce(name: string, at: number, real: Call): Call {
  return (...args) => {
    const life = lifeAt(args[at])
    if (life === undefined) return real(...args)
    if (life.dead) throw new Error('nobody is there any more')
    const paths = [String(args[0]), String(args[at])] as const
    const fate = life.meet(`${name} ${short(life, paths[1])}`)
    if (fate === 'fails') throw life.error()
    if (fate === 'goes' || fate === 'dies-after') {
      noteBefore(life, name, paths)
      const result = real(...args)
      if (fate === 'goes') return result
    }
    void life.die()
    throw new Error('it died here')
  }
}

function noteBefore({ ledger }: Life, name: string, [from, to]: readonly [string, string]): void {
  if (name === 'rename') ledger.renamed(from, to)
  else if (name !== 'mkdir' && name !== 'cp') ledger.touch(to)
}

/** A part of the text is written; of a folder, a part of what is in it goes. */
async function half(life: Life, name: string, args: unknown[], real: Call): Promise<void> {
  const path = String(args[0])
  if ((name === 'writeFile' || name === 'appendFile') && typeof args[1] === 'string') {
    life.ledger.touch(path)
    await real(path, args[1].slice(0, args[1].length * life.draw.next()), ...args.slice(2))
  }
  if (name === 'rm' && fs.existsSync(path) && fs.statSync(path).isDirectory()) {
    const inside = fs.readdirSync(path).filter(() => life.draw.chance(0.5))
    for (const one of inside) await real(`${path}/${one}`, ...args.slice(1))
  }
}

function opening(real: Call): Call {
  return async (...args) => {
    const path = String(args[0])
    const life = lifeAt(path) ?? folderIn(path)
    if (life === undefined) return real(...args)
    const open = async () => {
      if (writes(args[1])) life.ledger.touch(path)
      return life.opened(await (real(...args) as Promise<FileHandle>))
    }
    const handle = writes(args[1]) ? await life.meets(`open ${short(life, path)}`, open) : await open()
    return followed(handle, path, life)
  }
}

const writes = (flags: unknown): boolean =>
  typeof flags === 'string' ? WRITES.test(flags) : typeof flags === 'number' && (flags & 3) !== 0

/** A handle whose writes and syncs are points as well. */
function followed(handle: FileHandle, path: string, life: Life): FileHandle {
  const name = short(life, path)
  return new Proxy(handle, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key)
      if (typeof value !== 'function') return value
      const call = (...args: unknown[]) => beyond(value as Call).apply(target, args) as Promise<unknown>
      if (key === 'sync' || key === 'datasync') {
        return () => life.meets(`sync ${name}`, () => call().then(() => life.ledger.synced(path)))
      }
      if (key !== 'writeFile' && key !== 'appendFile' && key !== 'write') return call
      return (...args: unknown[]) =>
        life.meets(
          `write ${name}`,
          () => {
            life.ledger.touch(path)
            return call(...args)
          },
          async () => {
            const [text] = args
            if (typeof text === 'string') await call(text.slice(0, text.length * life.draw.next()))
          },
        )
    },
  })
}

function spawning(real: Call): Call {
  return (...args) => {
    const life = current()
    const command = [args[0], ...(args[1] as string[])] as string[]
    if (life === undefined || command.some(isTrial)) return real(...args)
    if (life.dead) throw new Error('nobody is there any more')
    const fate = life.meet(`start ${nameOf(command)}`)
    if (fate === 'dies-before') {
      void life.die()
      throw new Error('it died here')
    }
    if (fate === 'fails') {
      if (command[0] === '/bin/sh') throw life.error()
      return real('/bin/sh', ['-c', 'echo "fatal: write error: No space left on device" >&2; exit 128'], args[2])
    }
    const child = real(...args) as ChildProcess
    if (child.pid !== undefined) life.child(child.pid)
    if (fate === 'dies-half') {
      void life.during(killed(child, life))
      void life.die()
    }
    if (command[0] === 'sync') child.once('exit', () => life.ledger.syncAll())
    if (fate === 'dies-after') child.once('exit', () => void life.die())
    return child
  }
}

/** A moment later, so that it has begun. */
function killed(child: ChildProcess, life: Life): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    setTimeout(() => child.pid !== undefined && endGroup(child.pid), life.draw.next() * 6)
  })
}

function forking(real: Call): Call {
  return (...args) => {
    const child = real(...args) as ChildProcess
    child.send = sending(child, child.send.bind(child) as Call)
    return child
  }
}

/** A command that the launcher is asked to start (src/process/run.ts) is started here, where it can be met. */
function sending(launcher: ChildProcess, real: Call): ChildProcess['send'] {
  return (...args: unknown[]): boolean => {
    const life = current()
    const { id, options } = (args[0] ?? {}) as { id?: number; options?: RunOptions }
    const ours = life !== undefined && options?.command.some(isTrial) === false
    if (!ours || id === undefined) return real(...args) as boolean
    const answer = runHere(options).then(
      (result) => ({ id, result }),
      (error: Error) => ({ id, notStarted: error.message }),
    )
    void life.during(answer).then((told) => life.dead || launcher.emit('message', told))
    return true
  }
}

/** What git is asked to do, without Muster's settings. */
function nameOf(command: readonly string[]): string {
  if (command[0] !== 'git' && !command.includes('git')) return command[0] === '/bin/sh' ? 'worker' : String(command[0])
  return `git ${command.slice(command.indexOf('git') + 1).find((word, at, words) => !word.startsWith('-') && words[at - 1] !== '-c')}`
}

function short(life: Life, path: string): string {
  return path.slice(life.ledger.dir.length + 1).replace(/\d+-\d+\.lock$/, 'lock')
}
