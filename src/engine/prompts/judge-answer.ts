/**
 * The last section of a judge's prompt: how to answer. The form has placeholders for the verdict and the nonce, so a
 * judge that only repeats the form has given no verdict.
 */

/** How it answers. Words always do; the others are told where it has them. */
interface JudgeFinish {
  /** Where a command leaves a verdict. */
  file?: string | undefined
  /** Its exit code is the verdict: nothing else is read. */
  exit?: boolean | undefined
  /** MCP tools by the names it knows them under. */
  tools?: readonly string[] | undefined
}

export interface AnswerParts {
  task: { id: string }
  attempt: number
  /** Ids of the criteria that it has to answer. */
  answer: readonly string[]
  nonce: string
  /** False: it knows PASS and FAIL only. */
  warns: boolean
  finish: JudgeFinish
}

export function answerSection(parts: AnswerParts): string {
  const { nonce, answer, finish, warns } = parts
  if (finish.exit === true) {
    return `## How to answer\n\nSay in a few sentences what you found. Then exit with 0 if the verdict is PASS, and with any other code if it is FAIL.`
  }
  const words = warns ? 'PASS, WARN or FAIL' : 'PASS or FAIL'
  const ids =
    answer.length === 0 ? '' : ` One line for each of ${answer.join(', ')}: without all of them a PASS does not count.`
  return [
    '## How to answer',
    `The nonce of this run is ${nonce} and shows that the answer is yours. Put it into your answer and nowhere else: into no file, no
command and no program.`,
    'End with your answer in exactly this form, as plain text and not in a code block or a quotation, with your own words in place of what stands in angle brackets:',
    [
      `**Verdict: <${words}>**`,
      '**Nonce: <the nonce of this run>**',
      '**Criteria:**',
      '- <id> <PASS or FAIL> <what you ran or read, and what you saw>',
      '**Findings:**',
      `- [<${warns ? 'FAIL or WARN' : 'FAIL'}>] <file>:<line> <what is wrong and what you expected> <the command that shows it, between backticks>`,
    ].join('\n'),
    [
      `- The verdict stands once, alone on its line.${warns ? ' WARN: everything is met, and there is something that people should know.' : ' There is no WARN.'}`,
      `- Criteria: by id, with evidence.${ids} PASS only if every one is met.`,
      '- Findings: one line each; without any, leave the list empty. A [FAIL] finding makes the whole a FAIL.',
      '- An answer without a verdict or without the nonce does not count, and neither do two that differ.',
    ].join('\n'),
    ...(finish.file === undefined ? [] : [fileForm(finish.file, words, parts)]),
    ...(finish.tools === undefined || finish.tools.length === 0 ? [] : [toolForm(finish.tools)]),
  ].join('\n\n')
}

function fileForm(file: string, words: string, { task, attempt }: AnswerParts): string {
  return `Or write it as JSON to the file ${file}; with both, both must say the same:

{ "verdict": "<${words}>", "task": ${JSON.stringify(task.id)}, "attempt": ${attempt}, "nonce": "<the nonce of this run>", "detail": "<summary>",
  "criteria": [{ "id": "<id>", "status": "<PASS or FAIL>", "note": "<what you saw>" }],
  "findings": [{ "severity": "<FAIL or WARN>", "message": "<what is wrong>", "file": "<path>", "line": <number>, "criterion": "<id>", "command": "<what shows it>" }] }`
}

function toolForm(tools: readonly string[]): string {
  return `You also have the tools ${tools.join(', ')}. Where one of them submits the verdict, call it once, with the nonce, and then say the same in the form above.`
}
