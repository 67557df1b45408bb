/** What the scripted model does, step by step. A step is chosen by the number of tool results a request brings back. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Step =
  /** Text, and the end of the turn. `times`: repeated that often. `$NONCE` in it is what the prompt says. */
  | { say: string; times?: number }
  /** Writes a file of the workspace with the program's own tool. */
  | { write: { path: string; text: string } }
  /** Reads a file of the workspace, with the program's own tool if it has one. */
  | { read: string }
  /** Runs a shell command, whether the program offers a shell or not. */
  | { run: string }
  /** Calls a tool by name. */
  | { tool: { name: string; input: Record<string, unknown> } }
  /** Calls a tool of Muster's own server, by the name that the program gives it. */
  | { muster: { tool: string; input: Record<string, unknown> } }
  /** Answers with an HTTP error. */
  | { status: number; message?: string }
  /** The plan's usage limit, which resets in so many seconds. */
  | { usageLimit: { resetsInSeconds: number } }
  /** Breaks the connection in the middle of the answer. */
  | { cut: true }
  /** Begins to answer and says no more. */
  | { stall: true }

export interface Scenario {
  /** The last one repeats. */
  steps: Step[]
  /** Counted for each call of the model; the numbers of one small call otherwise. */
  tokens?: { input: number; cached: number; output: number }
}

export const DEFAULT_TOKENS = { input: 1000, cached: 400, output: 50 }

/** A file of scenarios/. */
export function scenario(name: string): Scenario {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'scenarios', `${name}.json`), 'utf8')) as Scenario
}

export function stepAt({ steps }: Scenario, results: number): Step {
  const step = steps[Math.min(results, steps.length - 1)]
  if (step === undefined) throw new Error('a scenario has at least one step')
  return step
}

/** With the nonce that Muster told this run, as a judge would repeat it. */
export function withNonce(step: Step, body: Record<string, unknown>): Step {
  if (!('say' in step) || !step.say.includes('$NONCE')) return step
  const [, nonce = 'not told'] = /The nonce of this run is (\w+)/.exec(JSON.stringify(body)) ?? []
  return { ...step, say: step.say.replaceAll('$NONCE', nonce) }
}

export function saying(step: Step): string {
  return 'say' in step ? step.say.repeat(step.times ?? 1) : 'Working.'
}
