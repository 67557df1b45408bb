/** What `muster doctor` says of the paths of checks. */
import { pathsWithoutFile } from '../app.ts'
import { type Project, projectFiles } from '../project.ts'

/** Checks with paths that fit no file of the checkout. */
export async function pathNotes(project: Project): Promise<string[]> {
  const guards = Object.entries(project.config.checks).flatMap(([name, { paths = [] }]) =>
    paths.length === 0 ? [] : [{ name, paths }],
  )
  if (guards.length === 0) return []
  const files = await projectFiles(project)
  return guards.flatMap(({ name, paths }) => {
    const without = pathsWithoutFile(paths, files)
    if (without.length === 0) return []
    const all = without.length === paths.filter((path) => !path.startsWith('!')).length
    const then = all ? 'no change to an existing file runs this check' : 'fix or remove that path'
    return [`${name}: ${without.join(', ')} under paths ${without.length === 1 ? 'matches' : 'match'} no file: ${then}`]
  })
}
