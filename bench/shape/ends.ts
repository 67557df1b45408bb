/**
 * In how many shapes the house says how a piece of work ended, between a process and a task's state. The names are those
 * that a reader found; `unlisted` looks for more, which are shaped like them.
 */
import { childOf, childrenOf, type Node } from '../mutants/walk.ts'
import { visit } from './imports.ts'
import { lineAt, type Source } from './sources.ts'

/** By the room that each stood in when the list was made. */
const ENDS: Record<string, readonly string[]> = {
  process: ['ProcessEnd', 'WorkerEnd', 'DetachedEnd', 'DetachedState', 'RunResult'],
  agents: ['End', 'AgentResult', 'ProgramEnd', 'Cut'],
  verify: ['CheckEnd', 'Execution', 'Judgement', 'Combined'],
  ports: ['RunOutcome', 'VerifyOutcome', 'RunEnd', 'Change', 'JobEnd', 'JobResult'],
  domain: ['FinalEnd', 'Outcome', 'Verdict', 'ParsedVerdict', 'StepResult', 'Decided', 'PanelVerdict', 'WorkEnd'],
  store: ['End', 'RunResult', 'RunRow'],
  engine: ['EndedRun', 'Judged', 'RunView', 'CheckerReport'],
}

const TELLING = new Set(
  'code exitCode signal timedOut stopped interrupted crashed exit ending end outcome verdict findings'.split(' '),
)
const tellingMin = 2

export interface Shape {
  path: string
  line: number
  name: string
}

/** Types of these names that are still there, in whatever room. */
export function endsIn(house: readonly Source[]): Shape[] {
  const names = new Set(Object.values(ENDS).flat())
  return house.flatMap(typesOf).filter(({ name }) => names.has(name))
}

/** Other types, nested ones too, that have two or more fields as ends have. */
export function unlistedEnds(house: readonly Source[]): Shape[] {
  const listed = new Set(endsIn(house).map(({ path, name }) => `${path} ${name}`))
  return house.flatMap((source) => tellingTypes(source)).filter(({ path, name }) => !listed.has(`${path} ${name}`))
}

function typesOf(source: Source): Shape[] {
  const found: Shape[] = []
  visit(source.tree, (node) => {
    if (isType(node)) found.push(shapeOf(source, node, nameOf(node)))
  })
  return found
}

function tellingTypes(source: Source): Shape[] {
  const found: Shape[] = []
  visit(source.tree, (node, parents) => {
    const fields = childrenOf(node, node.type === 'TSInterfaceBody' ? 'body' : 'members')
    if (node.type !== 'TSInterfaceBody' && node.type !== 'TSTypeLiteral') return
    const telling = fields.filter((field) => TELLING.has(nameOf(field, 'key')))
    if (telling.length < tellingMin) return
    const holders = parents.filter((each) => isType(each) || each.type === 'TSPropertySignature')
    const name = holders.map((each) => nameOf(each, isType(each) ? 'id' : 'key')).join('.')
    if (name !== '') found.push(shapeOf(source, node, name))
  })
  return found
}

const isType = ({ type }: Node): boolean => type === 'TSInterfaceDeclaration' || type === 'TSTypeAliasDeclaration'
const nameOf = (node: Node, key = 'id'): string => String(childOf(node, key)?.['name'] ?? '')
const shapeOf = ({ path, text }: Source, node: Node, name: string): Shape => ({
  path,
  line: lineAt(text, node.start),
  name,
})
