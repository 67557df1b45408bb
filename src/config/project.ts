/** muster.yaml: read, checked, and turned into a ProjectConfig. */
import { dirname, relative } from 'node:path'
import type { z } from 'zod'
import type { AgentConfig, CheckConfig, DeployConfig, ProjectConfig, SetupConfig } from '../domain/config.ts'
import { knownChecks } from '../tools/checks.ts'
import {
  checkTimeoutMs,
  DEFAULT_LIMITS,
  setupTimeoutMs,
  deployTimeoutMs,
  postDeployTimeoutMs,
} from '../domain/limits.ts'
import type { Problem } from '../domain/problem.ts'
import { secretsOf } from '../domain/secrets.ts'
import { settledPhases } from '../domain/validation.ts'
import { Cast } from './resolve-roles.ts'
import { check } from './check.ts'
import { BUILT_IN, definitionsIn } from './definitions.ts'
import { forgeOf, presetAt } from './forge.ts'
import { EXAMPLE_AGENT, KINDS, type Kinds } from './kinds.ts'
import { readPhases } from './phases.ts'
import { unknownPrice } from './price.ts'
import { PLANNED_CONFIG_KEYS } from './planned.ts'
import { loadRules } from './rules.ts'
import { configSchemaOf, type configSchema } from './schema.ts'
import { serviceProblems, servicesOf } from './services.ts'
import type { YamlFile } from './yaml.ts'
import { readYaml, refuse } from './yaml.ts'

export async function loadConfig(
  path: string,
  cwd: string,
  defaultBase: () => Promise<string>,
): Promise<ProjectConfig> {
  const file = await readYaml(path, relative(cwd, path) || path, 'configuration')
  const config = await buildConfig(file, defaultBase, definitionsIn(dirname(path)))
  return { ...config, rules: await loadRules(dirname(path), cwd) }
}

export async function buildConfig(
  file: YamlFile,
  defaultBase: () => Promise<string>,
  written = BUILT_IN,
  kinds = KINDS,
): Promise<ProjectConfig> {
  const text = check(file, configSchemaOf(kinds), PLANNED_CONFIG_KEYS, 'docs/configuration.md lists every key')
  const base = text.base ?? (await defaultBase())
  const cast = new Cast(written, kinds.programs)
  for (const [role, agent] of Object.entries(text.agents)) cast.name(role, agent)
  const { agents, definitions } = cast
  const shared = text.limits.budgetUsd !== undefined
  const unpriced = Object.entries(agents).flatMap(([role, agent]) => priceProblem(role, agent, shared, kinds.programs))
  refuseIfAny(file, unpriced, 'docs/agents.md says what a budget needs')
  const checks = checksOf(text.checks)
  const checksOff = Object.keys(text.checks).filter((name) => text.checks[name] === false)
  if (Object.keys(agents).length === 0) {
    const hint = `add for example:\n  agents:\n    implementer: ${EXAMPLE_AGENT}`
    refuse(file, [{ path: ['agents'], message: 'no agent is configured' }], hint)
  }
  const unserved = serviceProblems(text.services, { agents: text.agents, checks: text.checks })
  refuseIfAny(file, unserved, 'docs/configuration.md explains services')
  const setup = setupOf(text.setup)
  const deploy = deployOf(text.deploy, deployTimeoutMs)
  const postDeploy = deployOf(text.postDeploy, postDeployTimeoutMs)
  const forge = forgeOf(text.forge, kinds.forges)
  const leaks = leakProblems(text, secretsOf({ notify: text.notify, forge }))
  const readers = 'docs/configuration.md lists every key, docs/notifications.md and docs/forge.md who reads secrets'
  refuseIfAny(file, leaks, readers)
  const known = { cast, checks: knownChecks({ checks, checksOff }) }
  const { map, problems } = readPhases(text.phases ?? presetAt(forge, kinds.forges), known, ['phases'])
  refuseIfAny(file, problems, 'docs/phase-maps.md explains phases')
  const given = Object.fromEntries(Object.entries(text.limits).filter(([, value]) => value !== undefined))
  const limits = { ...DEFAULT_LIMITS, ...given }
  return {
    base,
    protected: text.protected ?? [base],
    phases: settledPhases(map, { phases: map, limits, agents }),
    landing: text.landing.style,
    keepBranches: text.landing.keepBranches,
    push: text.landing.push,
    limits,
    protectedPaths: text.protectedPaths,
    setup,
    copy: text.copy,
    agents,
    definitions,
    checks,
    ...(checksOff.length > 0 ? { checksOff } : {}),
    ...servicesOf(text.services),
    rules: null,
    contract: text.contract,
    deploy,
    postDeploy,
    notify: text.notify,
    forge,
    sandbox: text.sandbox,
    decisions: text.decisions,
    retention: { runsMs: text.retention.runs, goldenMs: text.retention.golden },
  }
}

function refuseIfAny(file: YamlFile, problems: Problem[], hint: string): void {
  if (problems.length > 0) refuse(file, problems, hint)
}

/** Those that are on. */
function checksOf(text: z.infer<typeof configSchema>['checks']): Record<string, CheckConfig> {
  const checks: Record<string, CheckConfig> = {}
  for (const [name, given] of Object.entries(text)) {
    if (given === false) continue
    const { timeout, cwd = '', report = null, exclusive = null, paths, ...check } = given
    const where = paths === undefined ? {} : { paths }
    checks[name] = { ...check, cwd, report, exclusive, timeoutMs: timeout ?? checkTimeoutMs, ...where }
  }
  return checks
}

/** What acts in the user's name is for Muster alone: what else receives it, code that an agent wrote could read. */
function leakProblems(text: z.infer<typeof configSchema>, secrets: ReadonlyMap<string, string>): Problem[] {
  const { agents, checks, services, setup, deploy, postDeploy } = text
  type Receiver = { env: readonly string[] } | false | undefined
  const named: Record<string, Record<string, Receiver>> = { agents, checks, services }
  const single: Record<string, Receiver> = { setup, deploy, postDeploy }
  const envOf = (one: Receiver): readonly string[] => (one === undefined || one === false ? [] : one.env)
  const receivers = [
    ...Object.entries(named).flatMap(([key, all]) =>
      Object.entries(all).map(([name, one]) => ({ path: [key, name, 'env'], env: envOf(one) })),
    ),
    ...Object.entries(single).map(([key, one]) => ({ path: [key, 'env'], env: envOf(one) })),
  ]
  return receivers.flatMap(({ path, env }) =>
    env.flatMap((name, index) => {
      const owner = secrets.get(name)
      const message = `${name} is a secret of ${owner}, which only Muster itself may read: remove it from env`
      return owner === undefined ? [] : [{ path: [...path, index], message }]
    }),
  )
}

/** `shared`: there is a budget for all of them. */
function priceProblem(role: string, agent: AgentConfig, shared: boolean, programs: Kinds['programs']): Problem[] {
  const unknown = unknownPrice(role, agent, programs)
  if (unknown === null) return []
  const own = agent.runtime !== 'command' && agent.maxBudgetUsd !== undefined
  return [...(own ? [['agents', role, 'maxBudgetUsd']] : []), ...(shared ? [['limits', 'budgetUsd']] : [])].map(
    (path) => ({ path, message: `${path.join('.')} cannot be enforced: ${unknown}` }),
  )
}

function setupOf(text: z.infer<typeof configSchema>['setup']): SetupConfig | null {
  if (text === undefined) return null
  const { timeout, ...setup } = text
  return { ...setup, timeoutMs: timeout ?? setupTimeoutMs }
}

function deployOf(text: z.infer<typeof configSchema>['deploy'], timeoutMs: number): DeployConfig | null {
  return text === undefined ? null : { run: text.run, env: text.env, timeoutMs: text.timeout ?? timeoutMs }
}
