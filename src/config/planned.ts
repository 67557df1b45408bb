/** What the documentation describes but this version lacks: refused by name, so that nobody looks for a typo. */

/** Paths of keys; `*` stands for any one name or index. */
export const PLANNED_CONFIG_KEYS: readonly string[] = []

export const PLANNED_PLAN_KEYS: readonly string[] = []

export const PLANNED_RUNTIMES: readonly string[] = ['gemini', 'qwen', 'opencode', 'acp']

export function isPlanned(path: readonly (string | number)[], planned: readonly string[]): boolean {
  return planned.some((pattern) => {
    const steps = pattern.split('.')
    return steps.length === path.length && steps.every((step, index) => step === '*' || step === String(path[index]))
  })
}

export function notYet(what: string): string {
  return `${what} is not in this version of Muster yet`
}
