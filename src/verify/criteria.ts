/** The criteria of a verification: the whole contract, or for `check <name>` only that check. */
import { builtInCommands } from '../tools/checks.ts'
import type { Criterion } from '../domain/contract/contract.ts'
import { FACT_FILES, factsOf } from '../tools/facts.ts'
import type { ReadText } from '../tools/packages.ts'
import type { VerifyRequest } from '../ports/verifier.ts'
import type { Trusted } from './script-file.ts'

export async function criteriaOf(
  { contract, only, config }: Pick<VerifyRequest, 'contract' | 'only' | 'config'>,
  trusted: Trusted,
): Promise<readonly Criterion[]> {
  if (only === null) return contract.criteria
  const listed = contract.criteria.filter(({ activity, judge }) => activity === only && judge === 'machine')
  if (listed.length > 0) return listed
  const command = config.checks[only]?.run ?? (await builtIn(only, trusted))
  const description = `The check "${only}" passes`
  const plain: Criterion = { id: only, activity: only, description, kind: 'goal', judge: 'machine' }
  return [command === undefined ? plain : { ...plain, command }]
}

/** How the project itself runs a check that comes with Muster; undefined where it has no tool for it. */
async function builtIn(name: string, trusted: Trusted): Promise<string | undefined> {
  const { paths, textOf } = await projectFiles(trusted)
  return builtInCommands(factsOf(paths, textOf), paths, textOf)[name]
}

/** The base's files, with the texts of those that tell which tools it has. */
export async function projectFiles({
  files,
  read,
}: Pick<Trusted, 'files' | 'read'>): Promise<{ paths: readonly string[]; textOf: ReadText }> {
  const paths = await files()
  const texts = new Map<string, string | null>()
  for (const path of paths.filter((each) => FACT_FILES.test(each))) texts.set(path, await read(path))
  return { paths, textOf: (path) => texts.get(path) ?? null }
}
