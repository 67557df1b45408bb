/** A person's comment on one line of the work: part of a rejection, and a finding for the author. */
import { MusterError } from '../errors.ts'
import { findingCharsMax, findingsMax } from '../limits.ts'
import type { FindingText } from '../verdict/verdict.ts'

export interface Comment {
  file: string
  line: number
  message: string
}

export const commentLineMax = 10_000_000
export const commentFileCharsMax = 1000

/** Whether it is a path inside of a repository that can be shown to somebody: hidden characters could pass for other words. */
export function isCommentFile(file: string): boolean {
  if (file === '' || file.length > commentFileCharsMax || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\\]/u.test(file)) return false
  return file.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
}

/** Throws `usage` at what could not be told to an author. */
export function checkComments(comments: readonly Comment[]): void {
  const hint = 'such as: muster reject <task> -m "…" --comment "src/a.ts:12: what must change"'
  const wrong = (what: string) => new MusterError('usage', what, { hint })
  if (comments.length > findingsMax) {
    throw wrong(`there are ${comments.length} comments; one rejection can have at most ${findingsMax}`)
  }
  for (const { file, line, message } of comments) {
    const where = `${file.slice(0, 200)}:${line}`
    if (!isCommentFile(file)) throw wrong(`a comment does not name a file of the repository: ${where}`)
    if (!Number.isInteger(line) || line < 1 || line > commentLineMax) throw wrong(`a comment names no line: ${where}`)
    if (message.trim() === '') throw wrong(`a comment has no words: ${where}`)
    if (message.length > findingCharsMax) {
      throw wrong(`a comment has more than ${findingCharsMax} characters: ${where}`)
    }
  }
}

/** `src/a.ts:12: what must change`. A name may have colons of its own: the first number between two of them is the line. */
export function parseComment(text: string): Comment {
  const [, file = '', line = '', message = ''] = /^(.+?):(\d{1,9}):\s*([^]*)$/.exec(text) ?? []
  if (file !== '') return { file, line: Number(line), message: message.trim() }
  throw new MusterError('usage', `write a comment as "file:line: text", not "${text.slice(0, 100)}"`, {
    hint: 'such as: --comment "src/a.ts:12: what must change"',
  })
}

/** What a rejection comes to for the author: its words, and a finding for each line that it is about. */
export function rejectionOf(message: string, comments: readonly Comment[] = []) {
  const findings = comments.map((comment): FindingText => ({
    severity: 'FAIL',
    message: comment.message.trim(),
    file: comment.file,
    line: comment.line,
  }))
  return { detail: message.trim() === '' ? (findings[0]?.message ?? '') : message, findings }
}
