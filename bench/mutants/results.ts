/** What became of each mutant, written down as it is known, so that the next run goes on from there. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Target } from './targets.ts'

/** `timeout`: the tests did not come to an end, which counts as killed. */
export type End = 'killed' | 'timeout' | 'survived'

export interface Result {
  id: string
  /** The hash of the source file: a result counts for this text of it only. */
  source: string
  end: End
  /** What noticed it. */
  by: string | null
  ms: number
}

export class Results {
  readonly #file: string
  readonly #results = new Map<string, Result>()

  constructor(dir: string) {
    mkdirSync(dir, { recursive: true })
    this.#file = join(dir, 'results.jsonl')
    const lines = existsSync(this.#file) ? readFileSync(this.#file, 'utf8').split('\n') : []
    for (const line of lines.filter((line) => line.endsWith('}'))) this.#take(JSON.parse(line) as Result)
  }

  of({ sourceHash, id }: Target): Result | undefined {
    return this.#results.get(`${sourceHash} ${id}`)
  }

  add(result: Result): void {
    this.#take(result)
    appendFileSync(this.#file, `${JSON.stringify(result)}\n`)
  }

  #take(result: Result): void {
    this.#results.set(`${result.source} ${result.id}`, result)
  }
}
