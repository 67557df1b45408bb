/**
 * What a project's CI runs: a hint at which of its own commands are its checks. Nothing of these files is ever run; their
 * lines are only compared with commands that the project has anyway (sign.ts).
 */
import { MusterError } from '../domain/errors.ts'
import { configBytesMax } from '../domain/limits.ts'
import type { ReadText } from '../tools/packages.ts'
import { signsOf } from '../tools/sign.ts'
import { parseYaml } from './yaml.ts'

const filesMax = 50

const WORKFLOW = /^(?:\.github\/workflows\/[^/]+\.ya?ml|\.gitlab-ci\.yml)$/

interface CiHint {
  signs: ReadonlySet<string>
  /** What could not be read. */
  notes: string[]
}

export function ciHint(files: readonly string[], read: ReadText): CiHint {
  const signs = new Set<string>()
  const notes: string[] = []
  for (const file of files.filter((path) => WORKFLOW.test(path)).slice(0, filesMax)) {
    try {
      const text = read(file) ?? ''
      if (text.length > configBytesMax) throw new MusterError('config', `${file} is too large`)
      const { value } = parseYaml(text, file)
      const runs = file.startsWith('.github/') ? stepsOf(value) : scriptsOf(value)
      for (const line of runs.flatMap(linesOf)) for (const sign of signsOf(line)) signs.add(sign)
    } catch (error) {
      if (!(error instanceof MusterError)) throw error
      notes.push(`not used to find checks: ${error.message}`)
    }
  }
  return { signs, notes }
}

/** GitHub: the steps of every job. What runs in another folder says nothing about the root. */
function stepsOf(value: unknown): string[] {
  const jobs = Object.values(at(value, 'jobs') ?? {})
  return jobs.flatMap((job) => {
    const steps: unknown = at(job, 'steps')
    return (Array.isArray(steps) ? steps : []).flatMap((step: unknown) => {
      const run: unknown = at(step, 'run')
      return typeof run === 'string' && at(step, 'working-directory') === undefined ? [run] : []
    })
  })
}

/** GitLab: the script of every job; a list may hold lists. */
function scriptsOf(value: unknown): string[] {
  const jobs: unknown[] = typeof value === 'object' && value !== null ? Object.values(value) : []
  return jobs.flatMap((job) => [at(job, 'script')].flat(3).filter((line) => typeof line === 'string'))
}

/** Lines that a backslash joins are one. */
const linesOf = (text: string): string[] => text.replace(/\\\n/g, ' ').split('\n')

function at(value: unknown, key: string): any {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined
}
