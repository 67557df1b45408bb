/** muster contract: how a task or a text will be judged; before a task starts, a person can also set its contract. */
import { createInterface } from 'node:readline'
import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { withCommands } from '../app.ts'
import { readContract } from '../config/contract.ts'
import type { Contract, ContractType } from '../domain/contract/contract.ts'
import { contractText } from '../domain/contract/contract-text.ts'
import { MusterError } from '../domain/errors.ts'
import { textCharsMax } from '../domain/limits.ts'
import { contractsHere } from '../preview.ts'
import { openProject } from '../project.ts'
import type { Io } from './io.ts'
import { printJson } from './io.ts'
import { commaList, person, reading, refuseInsideTask, requireTask } from './session.ts'

type Options = Record<string, unknown>

const TYPES: readonly string[] = ['verifiable', 'advisory', 'skip'] satisfies ContractType[]

export async function contract(io: Io, [wanted = '']: string[], options: Options): Promise<void> {
  const { text, batch, type, set } = options
  if ([wanted !== '', text !== undefined, batch !== undefined].filter(Boolean).length !== 1) {
    throw new MusterError('usage', 'name a task, or give --text or --batch', {
      hint: 'muster contract <task>, or muster contract --text "Fix the login form"',
    })
  }
  if (typeof batch === 'string') return ofLines(io, batch)
  if (typeof text === 'string') return ofText(io, text, options)
  if (type !== undefined || set !== undefined) await choose(io, wanted, options)
  await reading(io, async (store) => {
    const task = await requireTask(store, wanted)
    const found = (await store.contracts(task.spec.id)).at(-1)
    if (found === undefined) throw new MusterError('not_found', `${task.spec.id} has no contract`)
    print(io, found, options)
  })
}

async function ofText(io: Io, text: string, options: Options): Promise<void> {
  const { preview, explain } = await contractsHere(io.cwd, io.env)
  const files = commaList(options['files'])
  print(io, await preview(text, files), options)
  if (options['explain'] === true && options['json'] !== true) io.out(`\n${explain(text, files)}\n`)
}

/** One contract per line, in order; a line that is no request stops with its number. */
async function ofLines(io: Io, file: string): Promise<void> {
  const { preview } = await contractsHere(io.cwd, io.env)
  let number = 0
  const lines = createInterface({ input: createReadStream(resolve(io.cwd, file)), crlfDelay: Infinity })
  try {
    for await (const line of lines) {
      number += 1
      if (line.trim() === '') continue
      const { text, files } = requestOf(line, `${file}:${number}`)
      io.out(`${JSON.stringify(await preview(text, files))}\n`)
    }
  } catch (error) {
    if (error instanceof MusterError || (error as { code?: string }).code !== 'ENOENT') throw error
    throw new MusterError('not_found', `there is no file ${file}`)
  }
}

function requestOf(line: string, where: string): { text: string; files: string[] } {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    value = null
  }
  const { text, files = [] } = (value ?? {}) as { text?: unknown; files?: unknown }
  const fits = Array.isArray(files) && files.every((path) => typeof path === 'string')
  if (typeof text === 'string' && text.length <= textCharsMax && fits) return { text, files }
  throw new MusterError('usage', `${where}: a line must be { "text": "…", "files": ["…"] }`, {
    hint: 'one JSON object per line; "files" may be left out',
  })
}

async function choose(io: Io, task: string, options: Options): Promise<void> {
  refuseInsideTask(io, 'muster contract')
  const type = options['type']
  if (type !== undefined && !TYPES.includes(String(type))) {
    throw new MusterError('usage', `"${String(type)}" is not a contract type`, { hint: `one of ${TYPES.join(', ')}` })
  }
  const file = options['set']
  const written = typeof file === 'string' ? await readContract(resolve(io.cwd, file), file) : null
  const project = await openProject(io.cwd, io.env)
  const request = { task, by: person(io), config: project.config, type: (type ?? null) as ContractType | null, written }
  const { id } = await withCommands(project, io.env, (commands) => commands.contract(request))
  io.say(`${id} has a new contract\n`)
}

function print(io: Io, found: Contract, options: Options): void {
  if (options['json'] === true) printJson(io, found)
  else io.out(`${contractText(found)}\n`)
}
