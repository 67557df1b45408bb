/**
 * What is to be known of an agent program before it is started: what muster.yaml may say of it, and which limits somebody
 * can keep. How it is started and understood is for its adapter, which has all this too (src/agents/registry.ts).
 */
import type { ProgramName } from './config.ts'
import { canPrice, type Prices } from './prices.ts'

export interface Program {
  /** Its `runtime` in muster.yaml. */
  name: ProgramName
  /** What people call it. */
  title: string
  /** Whether a model that a definition names is one of its own. */
  hasModel(model: string): boolean
  /** Whether it can be told which tools it may use. */
  takesTools: boolean
  /** What its tokens cost. Empty where it tells dollars itself. */
  prices: Prices
  /** Limits that it keeps by itself; Muster keeps the others. */
  keeps: { turns: boolean; budget: boolean }
}

/** Whether a budget in dollars can be kept: by the program, or because the price of the model is known. */
export function keepsBudget({ keeps, prices }: Program, model: string | undefined): boolean {
  return keeps.budget || canPrice(prices, model)
}

/** Undefined: what is stored is of a Muster that knew more of them. */
export function programNamed<P extends Program>(programs: readonly P[], name: string): P | undefined {
  return programs.find((program) => program.name === name)
}
