/**
 * Makes the contract of a task, before anybody works on it, from what the task says, the project's rules and the tools
 * it really has. Pure and quick: files come in as an index, tools as facts.
 */
import type {
  Contract,
  ContractFile,
  ContractType,
  Criterion,
  GeneratedFrom,
  WrittenContract,
} from '../domain/contract/contract.ts'
import { assert } from '../domain/errors.ts'
import type { ProjectFacts } from '../tools/facts.ts'
import type { Classification } from './classify.ts'
import { classifyTask } from './classify.ts'
import type { DraftCriterion } from './criteria.ts'
import { readCriteria } from './criteria.ts'
import { checkExpectedFiles } from './files.ts'
import type { FileIndex } from './predict.ts'
import { predictFiles } from './predict.ts'
import type { RuleBook } from './rules.ts'
import type { TaskText } from './seal.ts'
import { hashTask, sealContract } from './seal.ts'
import { checkGuard, fileCriteria, guards, uniqueCriteria } from './template.ts'

export interface ContractTask extends TaskText {
  /** Whether a story gave the task its acceptance criteria. */
  inStory: boolean
  /** The commands of the checks it lists. */
  checkCommands: Readonly<Record<string, string>>
  /** A contract somebody wrote for it; it wins. */
  written?: WrittenContract
}

/** What a contract depends on beside the task. */
export interface ContractProject {
  facts: ProjectFacts
  rules: RuleBook
  files: FileIndex
}

/** Throws a MusterError for expected files that are not in the project. */
export function generateContract(task: ContractTask, project: ContractProject, generatedAt: string): Contract {
  const expected = checkExpectedFiles(task.expectedFiles)
  const read = classifyTask(task.title, task.instructions, expected)
  const asked = readCriteria(task.acceptanceCriteria, project.facts, project.files.paths)
  const goals = [...checkCriteria(task), ...asked.criteria]
  const type = task.written?.type ?? typeOf(read, task, goals)
  const files = type === 'verifiable' ? filesOf(task, expected, project.files) : expected.map(isExpected)
  const criteria = uniqueCriteria([
    ...writtenCriteria(task.written),
    ...(type === 'advisory' ? goals.map(forPeople) : goals),
    ...templateCriteria(type, task, files, project),
  ])
  const overruled = type === read.type ? [] : [`its text alone says ${read.type}: ${read.why}`]
  return sealContract({
    type,
    criteria: criteria.map((criterion, index): Criterion => ({ id: `c${index + 1}`, ...criterion })),
    generatedFrom: originOf(task, asked.criteria),
    generatedAt,
    ambiguous: task.written === undefined && read.ambiguous,
    couldBe: task.written === undefined && type === read.type ? read.couldBe : null,
    why: whyOf(type, task, read),
    notices: [...read.notices, ...(task.written === undefined ? overruled : []), ...asked.notices],
    files,
    taskHash: hashTask(task),
  })
}

/** What a machine can check is not advice, whatever the title sounds like; checks that the task lists are to be run. */
function typeOf(read: Classification, task: ContractTask, goals: readonly DraftCriterion[]): ContractType {
  if (task.checks.length > 0) return 'verifiable'
  return read.type === 'advisory' && goals.some(({ judge }) => judge === 'machine') ? 'verifiable' : read.type
}

function whyOf(type: ContractType, task: ContractTask, read: Classification): string {
  if (task.written !== undefined) return 'somebody wrote it'
  return type === read.type ? read.why : 'the task says how it is checked'
}

function originOf({ written, inStory }: ContractTask, asked: readonly DraftCriterion[]): GeneratedFrom {
  if (written !== undefined) return 'user'
  return inStory && asked.length > 0 ? 'prd' : 'auto'
}

function filesOf(task: ContractTask, expected: readonly string[], index: FileIndex): ContractFile[] {
  if (expected.length > 0) return expected.map(isExpected)
  return predictFiles(`${task.title}\n${task.instructions}`, index)
}

const isExpected = (path: string): ContractFile => ({ path, from: 'expected' })

/** The checks a task lists are its goals. */
function checkCriteria({ checks, checkCommands }: ContractTask): DraftCriterion[] {
  return checks.map((name) => {
    const command = Object.hasOwn(checkCommands, name) ? checkCommands[name] : undefined
    assert(command !== undefined, `the check "${name}" has a command`)
    return { ...checkGuard({ name, command }), kind: 'goal' }
  })
}

/** Advice is judged by people alone. */
function forPeople(criterion: DraftCriterion): DraftCriterion {
  return { ...criterion, judge: 'person' }
}

function writtenCriteria(written: WrittenContract | undefined): DraftCriterion[] {
  return (written?.criteria ?? []).map((criterion) => ({
    kind: 'goal',
    judge: criterion.command === undefined && criterion.assertion === undefined ? 'checker' : 'machine',
    ...criterion,
  }))
}

/** What every contract of a type has: for prose lint and types, for advice nothing. */
function templateCriteria(
  type: ContractType,
  task: ContractTask,
  files: readonly ContractFile[],
  { facts, rules }: ContractProject,
): DraftCriterion[] {
  if (type === 'advisory') return []
  if (type === 'skip' || task.written !== undefined) return guards(facts)
  return [
    ...fileCriteria(
      files.map(({ path }) => path),
      task.title,
      facts,
      rules,
    ),
    ...guards(facts),
  ]
}
