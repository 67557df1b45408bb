/**
 * The MCP server of a judge's tools. It runs beside the judge, in the same sandbox, so it knows only one small file of
 * the run, and not even the nonce. It writes what the judge reports beside that file, and Muster weighs it later.
 */
import { appendFileSync, readFileSync, statSync } from 'node:fs'
import { MusterError } from '../domain/errors.ts'
import { JUDGE_TOOLS, type ToolCall } from '../domain/verdict/judge-tools.ts'
import { verdictBytesMax } from '../domain/limits.ts'
import type { VerdictScope } from '../domain/verdict/verdict.ts'
import { callProblem } from '../domain/verdict/verdict-calls.ts'
import { callsFileOf, judgeFileOf, type JudgeFile } from '../ports/runtime.ts'
import type { ToolServer } from './protocol.ts'
import { serveLines } from './stdio.ts'

/** Serves until the input ends. `dir`: where the run's file is. */
export async function serveJudge(
  dir: string,
  version: string,
  input: AsyncIterable<string>,
  write: (text: string) => void,
): Promise<void> {
  await serveLines(judgeServer(readJudgeFile(dir), callsFileOf(dir), version), input, write, verdictBytesMax)
}

function readJudgeFile(dir: string): JudgeFile {
  const path = judgeFileOf(dir)
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as JudgeFile
  } catch (error) {
    throw new MusterError('not_found', `no judge's run in ${dir}: cannot read ${path}`, {
      hint: 'Muster starts this server for its judges; in the environment of a judge it needs no --dir',
      cause: error,
    })
  }
}

function judgeServer(file: JudgeFile, record: string, version: string): ToolServer {
  const { task: taskId, attempt, commit, criteria, warns } = file
  const scope: VerdictScope = { taskId, attempt, commit, criteria, warns, judge: true, nonce: '' }
  const calls: ToolCall[] = []
  return {
    name: 'muster',
    version,
    instructions:
      'For the judge of a task: get_contract shows what to judge, report_finding and submit_verdict take the answer.',
    tools: JUDGE_TOOLS,
    call(tool, input) {
      const call = { tool, input }
      const problem = callProblem(calls, call, scope)
      const kept = tool !== 'get_contract' && JUDGE_TOOLS.some(({ name }) => name === tool)
      // What is refused is written down as well: a judge that has spoken and then says another word is heard.
      if (kept && !write(record, call)) return refuse('the text is too long: be brief')
      if (kept) calls.push(call)
      if (problem !== null) return refuse(problem)
      return { text: answerTo(tool, input, file), refused: false }
    },
  }
}

const refuse = (problem: string) => ({
  text: `Rejected: ${problem}. Fix it and call the tool again.`,
  refused: true,
})

function answerTo(tool: string, input: unknown, { contract, ...file }: JudgeFile): string {
  if (tool === 'get_contract') {
    const about = `task ${file.task}, attempt ${file.attempt}, commit ${file.commit}`
    const wanted = file.criteria.length === 0 ? '' : `\n\nYour verdict answers: ${file.criteria.join(', ')}`
    return `${about}\n\n${contract || 'There is no contract.'}${wanted}`
  }
  if (tool === 'report_finding') return 'Recorded. Continue; call submit_verdict when you have checked everything.'
  const { verdict } = input as { verdict: string }
  return `Recorded: ${verdict}. You are done; do not submit another verdict.`
}

/** False if the record would become larger than a verdict may be, or nobody could write it down. */
function write(record: string, call: ToolCall): boolean {
  let line: string
  try {
    line = `${JSON.stringify(call)}\n`
  } catch {
    return false
  }
  const size = statSync(record, { throwIfNoEntry: false })?.size ?? 0
  if (size + Buffer.byteLength(line) > verdictBytesMax) return false
  appendFileSync(record, line, { mode: 0o600 })
  return true
}
