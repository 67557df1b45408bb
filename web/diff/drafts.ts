/**
 * Comments on lines that were not sent yet, by the commit that they are about. Stored data may be old or foreign:
 * anything that is not a comment is dropped. draft-store.ts stores them.
 */
export type Side = 'old' | 'new'

export interface DraftComment {
  id: string
  file: string
  side: Side
  line: number
  /** The line itself, as it was. */
  quote: string
  message: string
}

export interface Draft {
  commit: string
  comments: DraftComment[]
}

/** What one rejection takes. */
export const commentsMax = 100
export const commentCharsMax = 7800
const draftsMax = 20

export function parseDrafts(text: string | null): Draft[] {
  const value = ((): unknown => {
    try {
      return JSON.parse(text ?? '[]')
    } catch {
      return []
    }
  })()
  if (!Array.isArray(value)) return []
  return value
    .filter(isObject)
    .flatMap(({ commit, comments }) =>
      typeof commit === 'string' && Array.isArray(comments)
        ? [{ commit, comments: comments.filter(isComment).slice(0, commentsMax) }]
        : [],
    )
    .filter(({ comments }) => comments.length > 0)
    .slice(-draftsMax)
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

function isComment(value: unknown): value is DraftComment {
  if (!isObject(value)) return false
  const { id, file, side, line, quote, message } = value
  const texts = [id, file, quote, message].every((text) => typeof text === 'string')
  return texts && (side === 'old' || side === 'new') && typeof line === 'number' && Number.isInteger(line) && line > 0
}

/** The drafts with the comments of one commit replaced; of none, it goes. */
export function withComments(drafts: readonly Draft[], commit: string, comments: DraftComment[]): Draft[] {
  const others = drafts.filter((draft) => draft.commit !== commit)
  return comments.length === 0 ? others : [...others, { commit, comments: comments.slice(0, commentsMax) }]
}

/** As one reads: file by file, line by line. */
export function byPlace(a: DraftComment, b: DraftComment): number {
  return a.file.localeCompare(b.file) || a.line - b.line
}

/** A comment as it is sent. Numbers of lines that are gone mean nothing to who has only the new ones. */
export function asRequest({ file, side, line, quote, message }: DraftComment) {
  const about = side === 'old' ? `(about a line that was removed: ${quote.trim().slice(0, 80)}) ` : ''
  return { file, line, message: `${about}${message}` }
}

/** The server refuses names that could be misread. */
export function canCommentOn(file: string): boolean {
  if (file.length > 1000 || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\\]/u.test(file)) return false
  return file.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
}
