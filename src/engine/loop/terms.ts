/**
 * New terms for a task that a person retries: the current muster.yaml, and a new contract under it. It decides nothing;
 * the person's retry does.
 */
import { knownChecks } from '../../tools/checks.ts'
import { configChanges } from '../../domain/config-changes.ts'
import type { ProjectConfig } from '../../domain/config.ts'
import type { Contract, Criterion } from '../../domain/contract/contract.ts'
import { MusterError } from '../../domain/errors.ts'
import { roleOf } from '../../domain/role.ts'
import { isGated } from '../../domain/task/gate.ts'
import type { PhaseMap } from '../../domain/task/phase-map.ts'
import { servedStory } from '../../domain/task/purpose.ts'
import { CONTRACT, type TaskSpec } from '../../domain/task/task.ts'
import { criteriaChanges, NO_CRITERIA } from '../../domain/task/terms.ts'
import { panelOf, settledPhases } from '../../domain/validation.ts'
import type { StoredTask } from '../../ports/store.ts'
import { confirmCommit } from './agreed.ts'
import { texts } from './contracts.ts'
import type { EngineCore } from './core.ts'
import type { Reconfigured } from './pending.ts'
import { configHash, snapshotText } from '../config-snapshot.ts'

interface Renewed {
  under: Reconfigured
  /** Null: it has none of its own to seal. */
  contract: Contract | null
}

/** Null: the configuration asks nothing else of the task than the one it works under. */
export async function newTerms(
  engine: EngineCore,
  { spec, state }: StoredTask,
  now: ProjectConfig,
): Promise<Renewed | null> {
  const before = await engine.transactor.config(spec.configHash)
  const changes = configChanges(before, now)
  if (changes.length === 0) return null
  const own = mapUnder(spec, before, now)
  const config = engine.parts.cast(now, rolesOf(spec, own))
  const checks = spec.checks.filter((name) => knownChecks(config).includes(name))
  const serves = servedStory(spec) !== null
  if (!serves) refuseMissingChecks(spec.id, own, config)
  const inForce = await engine.transactor.contracts.of(spec.id)
  const isSealed = inForce !== null && !serves && isGated(own)
  const again = { ...spec, checks }
  const contract = isSealed ? await sealAnew(engine, again, spec.checks, state.commit, inForce, config) : null
  const snapshot = { hash: configHash(config), body: snapshotText(config) }
  const terms = {
    config: { from: spec.configHash, to: snapshot.hash },
    changes,
    contract: contract === null || inForce === null ? null : { from: inForce.hash, to: contract.hash },
    criteria: contract === null || inForce === null ? NO_CRITERIA : criteriaChanges(inForce, contract),
  }
  return { under: { config, snapshot, spec: { phases: own, checks }, terms }, contract }
}

/** The project's map follows the project; one that the task or its plan brought along stays. */
function mapUnder({ phases }: TaskSpec, before: ProjectConfig, now: ProjectConfig): PhaseMap {
  const is = (map: PhaseMap) => JSON.stringify(map) === JSON.stringify(phases)
  if (is(before.phases)) return now.phases
  return is(settledPhases(before.phases, before)) ? settledPhases(now.phases, now) : phases
}

function rolesOf({ agent }: TaskSpec, map: PhaseMap): string[] {
  const played = map.filter(({ step }) => step.type === 'agent').flatMap((phase) => [...panelOf(phase)])
  return [...new Set([...(agent === null ? [] : [agent]), ...played.map((role) => roleOf(role, agent))])]
}

function refuseMissingChecks(id: string, map: PhaseMap, config: ProjectConfig): void {
  const known = new Set([...knownChecks(config), CONTRACT])
  const missing = map.find(({ step }) => step.type === 'check' && !known.has(step.name))
  if (missing === undefined) return
  const { name } = missing.step
  throw new MusterError('config', `the phase map of ${id} runs the check "${name}", which muster.yaml no longer has`, {
    hint: `restore checks.${name}, or cancel ${id} and add it again`,
  })
}

/** What the configuration asks for now, also of what was changed already, and what no configuration made. */
async function sealAnew(
  engine: EngineCore,
  spec: TaskSpec,
  checksBefore: readonly string[],
  commit: string | null,
  inForce: Contract,
  config: ProjectConfig,
): Promise<Contract> {
  const { contracts, store, workspaces } = engine.parts
  const head = await workspaces.head(spec.target)
  if (head === null) throw new MusterError('git', `the branch ${spec.target} is no longer in the repository`)
  // A person's contract: the one they sealed. What the work added to it since is found again below.
  const written = (await store.contracts(spec.id)).find(({ generatedFrom }) => generatedFrom === 'user')
  const type = inForce.generatedFrom === 'user' ? (written ?? inForce).type : null
  const made = await contracts.seal({ ...texts(spec), type, written: null }, head, config)
  const dropped = new Set(checksBefore.filter((name) => !spec.checks.includes(name)))
  const isDropped = ({ activity, kind }: Criterion) => kind === 'goal' && dropped.has(activity)
  const own = [
    ...(type === null ? [] : (written ?? inForce).criteria.filter((one) => !isDropped(one))),
    ...inForce.criteria.filter(({ origin }) => origin !== undefined),
  ]
  const renewed = contracts.renew(inForce, made, own)
  if (commit === null) return renewed
  return (await confirmCommit(engine, spec, commit, { contract: renewed, config })) ?? renewed
}
