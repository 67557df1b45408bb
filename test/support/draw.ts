/**
 * What tests draw at random: the same in every `npm test`, so that a red means a change, and anew in `npm run soak`. A
 * test says its seed in its name or its failure; `MUSTER_SEED=<n>` draws the same again.
 */
import { createHash, randomInt } from 'node:crypto'

const { MUSTER_SEED, MUSTER_SOAK } = process.env

/** Those of one test that is run once for each: `sample` in `npm test`, so many new ones in the soak. */
export function seeds(sample: readonly number[], soak: number): readonly number[] {
  if (MUSTER_SEED) return [Number(MUSTER_SEED)]
  return MUSTER_SOAK ? Array.from({ length: soak }, () => randomInt(2 ** 31)) : sample
}

/** The same draws for the same seed. */
export class Draw {
  readonly #seed: number
  #drawn = 0

  constructor(seed: number) {
    this.#seed = seed
  }

  /** At least 0, less than 1. */
  next(): number {
    const digest = createHash('sha256')
      .update(`${this.#seed}:${this.#drawn++}`)
      .digest()
    return digest.readUInt32BE() / 2 ** 32
  }

  chance(p: number): boolean {
    return this.next() < p
  }

  upTo(n: number): number {
    return 1 + Math.floor(this.next() * n)
  }
}
