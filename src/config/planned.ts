/** What the documentation describes and this version does not have: refused as such, so that nobody hunts for a typo. */

const PHASES = ['phases.*.args']

/** Paths of keys; `*` stands for any one name or index. */
export const PLANNED_CONFIG_KEYS: readonly string[] = ['deploy', 'postDeploy', ...PHASES]

export const PLANNED_PLAN_KEYS: readonly string[] = [
  'meta.validation',
  'meta.max_attempts_default',
  'meta.budget_limit_usd',
  ...PHASES,
  ...PHASES.flatMap((path) => [`tasks.*.${path}`, `sections.*.tasks.*.${path}`]),
]

export const PLANNED_PRESETS: readonly string[] = ['validated', 'pull-request']
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
