/** The Contracts port: generation and confirmation over what a commit of the project really holds. */
import type { ProjectConfig } from '../domain/config.ts'
import { builtInCommands, configuredCommands, partsOf } from '../tools/checks.ts'
import type { WrittenContract } from '../domain/contract/contract.ts'
import { MusterError } from '../domain/errors.ts'
import { FACT_FILES, factsOf } from '../tools/facts.ts'
import { factBytesMax } from '../domain/limits.ts'
import { DEFAULT_RULES } from '../domain/contract/rules.ts'
import type { Clock } from '../ports/clock.ts'
import type { ContractRequest, Contracts } from '../ports/contracts.ts'
import type { Workspaces } from '../ports/workspaces.ts'
import { confirmContract, withAdditions } from './confirm.ts'
import { renewed } from './renew.ts'
import { extended, unionOf } from './union.ts'
import { generateContract } from './generate.ts'
import type { FileIndex } from './predict.ts'
import { indexFiles } from './predict.ts'
import { ruleBook } from './rules.ts'

const treesKnownMax = 20
/** Where the project's files are looked at. */
type Trees = Pick<Workspaces, 'files' | 'read'>

interface Tree {
  files: FileIndex
  texts: ReadonlyMap<string, string>
}

export function contracts(trees: Trees, clock: Pick<Clock, 'now'>): Contracts {
  const known = new Map<string, Promise<Tree>>()
  const treeOf = (commit: string): Promise<Tree> => {
    const cached = known.get(commit)
    if (cached !== undefined) return cached
    if (known.size >= treesKnownMax) known.clear()
    const read = readTree(trees, commit)
    known.set(commit, read)
    read.catch(() => known.delete(commit))
    return read
  }
  const projectAt = async (commit: string, config: ProjectConfig) => {
    const { files, texts } = await treeOf(commit)
    const textOf = (path: string): string | null => texts.get(path) ?? null
    const configured = configuredCommands(config)
    const facts = factsOf(files.paths, textOf, configured, partsOf(config))
    const all = Object.entries({ ...builtInCommands(facts, files.paths, textOf), ...configured })
    const commands: Record<string, string> = {}
    for (const [name, command] of all) if (command !== false) commands[name] = command
    return { files, facts, rules: ruleBook(config.rules ?? DEFAULT_RULES), commands }
  }
  const now = () => new Date(clock.now()).toISOString()
  return {
    async seal(request, commit, config) {
      const { commands, ...project } = await projectAt(commit, config)
      refuseMissing(request.checks, commands)
      const written = writtenOf(request)
      const task = { ...request, inStory: request.story !== null, checkCommands: commands }
      return generateContract({ ...task, ...(written === null ? { written: undefined } : { written }) }, project, now())
    },
    union: async (all, waived) => unionOf(all, waived, now()),
    extend: (contract, criteria) => extended(contract, criteria, now()),
    renew: renewed,
    async confirm(contract, { commit, paths, patch }, config) {
      const project = await projectAt(commit, config)
      const text = project.rules.code.length === 0 ? '' : await patch()
      const additions = confirmContract(contract, paths, project, text)
      if (additions.type === contract.type && additions.criteria.length === 0) return null
      return withAdditions({ ...contract, generatedAt: now() }, additions)
    },
  }
}

/** A built-in check is there only where the project has the tool. */
function refuseMissing(checks: readonly string[], commands: Readonly<Record<string, string>>): void {
  const missing = checks.find((name) => !Object.hasOwn(commands, name))
  if (missing === undefined) return
  const known = Object.keys(commands).sort().join(', ') || 'none'
  throw new MusterError('config', `the project has no tool for the check "${missing}" (it has: ${known})`, {
    hint: `set its command in muster.yaml, for example:\n  checks:\n    ${missing}: <command>`,
  })
}

/** A type that a person chose is a contract that they wrote, without criteria of its own. */
function writtenOf({ written, type }: ContractRequest): WrittenContract | null {
  if (written !== null) return type === null ? written : { ...written, type }
  return type === null ? null : { type, criteria: [] }
}

async function readTree(trees: Trees, commit: string): Promise<Tree> {
  const paths = await trees.files(commit)
  const texts = new Map<string, string>()
  for (const path of paths.filter((name) => FACT_FILES.test(name))) {
    const text = await trees.read(commit, path, factBytesMax)
    if (text !== null) texts.set(path, text)
  }
  return { files: indexFiles(paths), texts }
}
