/** Muster's built-in checks: each exists if the project has the tool for it. */
import type { ProjectConfig } from '../domain/config.ts'
import { doerOf } from '../domain/role.ts'
import { isOf, type Part, type ProjectFacts } from './facts.ts'
import { TOOLS } from '../domain/tool.ts'

const BUILT_IN_CHECKS = [
  'typecheck',
  'lint',
  'unit-test',
  'build',
  'e2e',
  'vitest',
  'pytest',
  'pytest-submodule',
] as const

const TEST_CHECKS = ['unit-test', 'e2e', 'vitest', 'jest', 'pytest']

/** Those that run tests, whatever with, of all or of a part (`unit-test-api`): a pass without any is none. */
export function isTestCheck(name: string): boolean {
  return TEST_CHECKS.some((kind) => isOf(name, kind))
}

/** The checks of muster.yaml that guard a part of the project, beside the tools that every project may have. */
export function partsOf({ checks }: Pick<ProjectConfig, 'checks'>): Part[] {
  return Object.entries(checks).flatMap(([name, { run, cwd, paths }]) => {
    const tool = TOOLS.find((one) => isOf(name, one)) ?? null
    return paths === undefined || tool === name ? [] : [{ name, command: run, cwd, tool }]
  })
}

/** Names that a task, plan or phase may use. */
export function knownChecks({ checks, checksOff = [] }: Pick<ProjectConfig, 'checks' | 'checksOff'>): string[] {
  return [...new Set([...Object.keys(checks), ...BUILT_IN_CHECKS])].filter((name) => !checksOff.includes(name))
}

/** What muster.yaml says of its checks: the command of each, false for one that it wants none of. */
export function configuredCommands({
  checks,
  checksOff = [],
}: Pick<ProjectConfig, 'checks' | 'checksOff'>): Record<string, string | false> {
  const commands = Object.entries(checks).map(([name, { run }]): [string, string] => [name, run])
  return Object.fromEntries([...commands, ...checksOff.map((name): [string, false] => [name, false])])
}

/** The commands of the built-in checks that this tree has a tool for. `read`: a text of the tree, null when there is none. */
export function builtInCommands(
  { tools, off }: ProjectFacts,
  files: readonly string[],
  read: (path: string) => string | null,
): Record<string, string> {
  const commands: Record<string, string> = {}
  for (const [name, tool] of Object.entries(tools)) commands[name] = tool.command
  if (/"vitest"\s*:/.test(read('package.json') ?? '')) commands['vitest'] = 'npx vitest run'
  if (files.some((file) => /(?:^|\/)(?:conftest|test_[^/]*|[^/]*_test)\.py$/.test(file))) commands['pytest'] = PYTEST
  const submodule = /^\s*path\s*=\s*([\w./-]+)\s*$/m.exec(read('.gitmodules') ?? '')?.[1]
  if (submodule !== undefined && files.includes(submodule))
    commands['pytest-submodule'] = `cd ${submodule} && ${PYTEST}`
  for (const name of off) delete commands[name]
  return commands
}

const PYTEST = 'python3 -m pytest'

/** What a task must pass, each once: what it lists or, if that is nothing, what its role stands for. */
export function checksOf(config: ProjectConfig, agent: string | null, listed: readonly string[]): readonly string[] {
  return [...new Set(listed.length > 0 ? listed : config.agents[doerOf(agent)]?.checks)]
}
