/** The checks that come with Muster: each is there where the project has the tool for it. */
import type { ProjectConfig } from './config.ts'
import type { ProjectFacts } from './facts.ts'

export const BUILT_IN_CHECKS = [
  'typecheck',
  'lint',
  'unit-test',
  'build',
  'e2e',
  'vitest',
  'pytest',
  'pytest-submodule',
] as const

/** Those that run tests, whatever with: a pass without any is none. */
export function isTestCheck(name: string): boolean {
  return ['unit-test', 'e2e', 'vitest', 'jest', 'pytest', 'pytest-submodule'].includes(name)
}

/** Names that a task, plan or phase may use. */
export function knownChecks({ checks }: Pick<ProjectConfig, 'checks'>): string[] {
  return [...new Set([...Object.keys(checks), ...BUILT_IN_CHECKS])]
}

/** The commands of the built-in checks that this tree has a tool for. `read`: a text of the tree, null when there is none. */
export function builtInCommands(
  { tools }: ProjectFacts,
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
  return commands
}

const PYTEST = 'python3 -m pytest'

/** What a task must pass, each once: what it lists or, if that is nothing, what its role stands for. */
export function checksOf(config: ProjectConfig, agent: string | null, listed: readonly string[]): readonly string[] {
  return [...new Set(listed.length > 0 ? listed : config.agents[agent ?? 'implementer']?.checks)]
}
