/** Notices to people: their kind, the commands that answer them, and their maximum length. */
import { noticeSubjectCharsMax, noticeTextCharsMax } from './limits.ts'

/**
 * `needs-you`: only a person moves it on. `failed`: it is over, and not done. `crash`: an agent ended without a verdict.
 * `shipped`: a story is out.
 */
export const NOTICE_KINDS = ['needs-you', 'failed', 'crash', 'shipped'] as const
export type NoticeKind = (typeof NOTICE_KINDS)[number]

export interface NoticeText {
  /** The same notice always has the same key: it is told once. */
  key: string
  kind: NoticeKind
  subject: string
  text: string
  /** The commands that answer it. */
  next: readonly string[]
}

/** No longer than a channel takes. */
export function bounded(notice: NoticeText): NoticeText {
  const { subject, text } = notice
  return { ...notice, subject: cut(subject, noticeSubjectCharsMax), text: cut(text, noticeTextCharsMax) }
}

/** Never in the middle of a character. */
export function cut(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax - 1)}…`.toWellFormed()
}
