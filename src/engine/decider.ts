/** The person who decides. */
import type { Proof } from '../domain/proof.ts'

/** Whose decision it is, and what shows it (proven.ts). */
export interface Decider {
  by: string
  proof?: Proof | undefined
}
