/**
 * Text of unknown origin: agents, repositories and plans can hide, reverse or colour what they write. It is shown as
 * plain text, isolated from what is around it, with invisible characters made visible. No page renders markup.
 */

/** One text is never longer on the screen than this; the rest is in the log or the terminal. */
const shownCharsMax = 20_000

/* oxlint-disable no-control-regex -- control characters are what this file is about */
const SEQUENCE = /\x1b\[[0-9;:]*m/g
// Controls, what reorders or hides text, letters without a shape, and tags, which repeat all of ASCII unseen.
const UNSEEN =
  /[\u034f\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu
/* oxlint-enable no-control-regex */

export function visible(text: string): string {
  const shown =
    text.length > shownCharsMax
      ? `${text.slice(0, shownCharsMax)}… (${text.length - shownCharsMax} more characters)`
      : text
  return shown
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(SEQUENCE, '')
    .replace(UNSEEN, (char) => {
      const code = char.codePointAt(0) ?? 0
      return code < 0x20
        ? String.fromCharCode(0x2400 + code)
        : `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
    })
}

/** What stands around the first character that nobody would see, made visible; null: there is none. */
export function unseenIn(text: string): string | null {
  const at = text.replaceAll('\r\n', '  ').search(UNSEEN)
  return at === -1 ? null : visible(text.slice(Math.max(0, at - 30), at + 30))
}

/** Inline, isolated from what stands beside it. */
export function Text({ children }: { children: string }) {
  return <bdi>{visible(children)}</bdi>
}

/** Several lines, as they were written. */
export function Prose({ children }: { children: string }) {
  return (
    <div className="prose" dir="auto">
      {visible(children)}
    </div>
  )
}

export function Code({ children, label }: { children: string; label: string }) {
  return (
    // Wide output is scrolled, and who has no mouse needs to reach it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <pre className="code" tabIndex={0} role="region" aria-label={visible(label)}>
      {visible(children)}
    </pre>
  )
}
