/**
 * What a judge reported through Muster's tools. The tools' server applies the same rules and refuses calls that could
 * not count, with the reason, so that the judge can correct them; a refused call counts as not made.
 */
import { JUDGE_TOOLS, schemaProblem, type ToolCall } from './judge-tools.ts'
import type { FindingText, VerdictScope } from './verdict.ts'
import { fieldsReading } from './verdict-file.ts'
import { hasBasis } from './verdict-finding.ts'
import { wordOf, type Reading, type Statement } from './verdict-statement.ts'
import { combine } from './verdict-weigh.ts'

/** Why a call is refused, with what was told before it; null if it is taken. Nobody but Muster itself knows the nonce. */
export function callProblem(before: readonly ToolCall[], call: ToolCall, scope: VerdictScope): string | null {
  return told([...before, call], scope).problems.at(-1) ?? null
}

/** All that was told; null if that is nothing. Two verdicts that differ are both in it. */
export function callsReading(calls: readonly ToolCall[], scope: VerdictScope): Reading | null {
  const { statements, findings, problems } = told(calls, scope)
  const refused = calls.flatMap(({ tool }, index) => (tool === 'submit_verdict' ? [problems[index]] : [])).at(-1)
  if (statements.length === 0 && typeof refused === 'string') return refused
  // Findings alone have no nonce, and need none: they can only speak against the work.
  if (statements.length === 0) return findings.length === 0 ? null : { ...NOTHING, nonce: scope.nonce, findings }
  const nonces = statements.map(({ nonce }) => nonce)
  return {
    words: statements.flatMap(({ words }) => words),
    tasks: [],
    nonce: nonces.find((nonce) => nonce !== scope.nonce) ?? scope.nonce,
    detail: [...new Set(statements.map(({ detail }) => detail))].join('\n'),
    findings: [...findings, ...statements.flatMap((one) => one.findings)],
    criteria: statements.flatMap(({ criteria }) => criteria),
  }
}

const NOTHING: Statement = { words: [], tasks: [], detail: '', findings: [], criteria: [] }

interface Told {
  statements: Statement[]
  findings: FindingText[]
  /** One for each call. */
  problems: (string | null)[]
}

function told(calls: readonly ToolCall[], scope: VerdictScope): Told {
  const all: Told = { statements: [], findings: [], problems: [] }
  for (const { tool, input } of calls) {
    const problem = problemOf(tool, input, scope, all)
    all.problems.push(problem)
    // Whoever has given a verdict and then another word, in whatever form, has taken the first one back.
    const last = all.statements.at(-1)
    const word = wordOf((input as { verdict?: unknown } | null)?.verdict)
    if (problem !== null && tool === 'submit_verdict' && last !== undefined && word !== null) {
      all.statements.push({ ...NOTHING, nonce: last.nonce, words: [word] })
    }
  }
  return all
}

/** Adds what the call says if there is nothing wrong with it. */
function problemOf(tool: string, input: unknown, scope: VerdictScope, all: Told): string | null {
  const schema = JUDGE_TOOLS.find(({ name }) => name === tool)?.inputSchema
  if (schema === undefined) return `there is no tool "${tool.slice(0, 80)}"`
  const problem = schemaProblem(schema, input, tool)
  if (problem !== null || tool === 'get_contract') return problem
  const fields = input as Readonly<Record<string, unknown>>
  if (tool === 'report_finding') return problemOfFinding(fields, all)
  const said = fieldsReading(fields, true)
  if (typeof said === 'string') return said
  const heard = { ...said, findings: [...all.findings, ...said.findings] }
  const weighed = combine([{ name: tool, reading: heard }], { ...scope, judge: true, nonce: String(said.nonce) })
  if (weighed?.verdict === 'ERROR') return weighed.detail
  all.statements.push(said)
  return null
}

function problemOfFinding(fields: Readonly<Record<string, unknown>>, all: Told): string | null {
  const read = fieldsReading({ verdict: 'fail', findings: [fields] }, true)
  const [finding] = typeof read === 'string' ? [] : read.findings
  if (finding === undefined) return 'it says nothing'
  if (finding.severity === 'FAIL' && !hasBasis(finding)) {
    return 'a FAIL must name a criterion, a file or a command: add one of them, or make it WARN'
  }
  all.findings.push(finding)
  return null
}
