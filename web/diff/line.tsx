/** One line of a diff, in one or two columns: its numbers, its sign, its coloured words, and the button to comment. */
import { visible } from '../parts/text.tsx'
import type { Line } from './patch.ts'
import type { LineRow, Place, View } from './rows.ts'
import { placeOf } from './rows.ts'

export interface Token {
  text: string
  tone: string | null
}

/** The rest of a longer line is for a terminal. */
const shownCharsMax = 2000
const KINDS = { '+': 'add', '-': 'del', ' ': '' } as const
const SIGNS = { '+': '+', '-': '−', ' ': '' } as const

export function DiffLine({
  row,
  view,
  tokens,
  onComment,
}: {
  row: LineRow
  view: View
  tokens(line: Line): readonly Token[] | null
  /** null: nobody can say anything here. */
  onComment: ((place: Place) => void) | null
}) {
  const { left, right, file } = row
  const comment = (line: Line | null) => {
    const place = placeOf(file, line)
    if (onComment === null || place === null) return null
    const old = place.side === 'old' ? 'removed line' : 'line'
    return (
      <button
        type="button"
        className="dl-c"
        tabIndex={-1}
        aria-label={`Comment on ${old} ${place.line} of ${visible(place.file)}`}
        onClick={() => onComment(place)}
      >
        +
      </button>
    )
  }
  if (view === 'unified') {
    const line = right ?? left
    if (line === null) return null
    return (
      <div className={`dl ${KINDS[line.sign]}`}>
        <Numbers of={[line.old, line.new]} />
        {comment(line)}
        <Words line={line} tokens={tokens(line)} />
      </div>
    )
  }
  return (
    <div className="dl-pair">
      {([left, right] as const).map((line, side) => (
        <div key={side} className={`dl half ${line === null ? 'none' : KINDS[line.sign]}`}>
          {line === null ? null : (
            <>
              <Numbers of={[side === 0 ? line.old : line.new]} />
              {side === 0 && line.sign === ' ' ? <span /> : comment(line)}
              <Words line={line} tokens={tokens(line)} />
            </>
          )}
        </div>
      ))}
    </div>
  )
}

function Numbers({ of }: { of: readonly (number | null)[] }) {
  return (
    <>
      {of.map((number, index) => (
        <span key={index} className="dl-n">
          {number}
        </span>
      ))}
    </>
  )
}

/** What cannot be seen is made visible; a line break of another system is no break here. */
const plain = (text: string): string => visible(text.replaceAll('\r', '␍'))

function Words({ line, tokens }: { line: Line; tokens: readonly Token[] | null }) {
  const { sign, text, open } = line
  const more = text.length - shownCharsMax
  return (
    <>
      <span className="dl-s">{SIGNS[sign]}</span>
      <code className="dl-t" dir="ltr">
        {tokens === null
          ? plain(more > 0 ? text.slice(0, shownCharsMax) : text)
          : tokens.map(({ text: word, tone }, index) =>
              tone === null ? (
                plain(word)
              ) : (
                <span key={index} className={`tone-${tone}`}>
                  {plain(word)}
                </span>
              ),
            )}
        {more > 0 ? <span className="muted"> … {more.toLocaleString()} more characters</span> : null}
        {open ? <span className="muted dl-eof"> (no line break at the end)</span> : null}
      </code>
    </>
  )
}
