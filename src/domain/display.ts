/**
 * Makes text of unknown origin safe to show: agents' output can move the cursor, retitle the terminal, hide text or
 * reverse it. Stored text stays raw; only displayed text passes through here.
 */

interface DisplayOptions {
  /** Keep SGR sequences, that is colours and weight. Default true. */
  colours?: boolean
}

// ESC or its one-character C1 form starts a sequence; each alternative is linear, and none can swallow a line break.
const SEQUENCES = new RegExp(
  [
    // OSC, DCS, SOS, PM, APC: a string up to its terminator or, unterminated, up to the next control character.
    // The second half of `ESC \` is taken as an escape sequence of its own.
    '(?:\\x1b[\\]PX^_]|[\\x9d\\x90\\x98\\x9e\\x9f])[^\\x00-\\x1f\\x7f-\\x9f]*[\\x07\\x9c]?',
    // CSI, complete or cut off.
    '(?:\\x1b\\[|\\x9b)[\\x30-\\x3f]*[\\x20-\\x2f]*[\\x40-\\x7e]?',
    // Any other escape sequence, or a lone ESC.
    '\\x1b[\\x20-\\x2f]*[\\x30-\\x7e]?',
    // Line breaks of other systems; a progress bar's carriage return is one too.
    '\\r\\n?',
    // Remaining controls, and the marks, overrides and isolates that reorder text.
    '[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]',
  ].join('|'),
  'g',
)

// oxlint-disable-next-line no-control-regex -- the escape character is what this file is about
const SGR = /^\x1b\[[0-9;:]{0,60}m$/

/** The text without anything that acts on a terminal. Bytes are read as UTF-8; what is not UTF-8 shows as U+FFFD. */
export function forDisplay(text: string | Uint8Array, options: DisplayOptions = {}): string {
  const colours = options.colours ?? true
  const string =
    typeof text === 'string' ? text.toWellFormed() : new TextDecoder('utf-8', { ignoreBOM: true }).decode(text)
  return string.replace(SEQUENCES, (sequence) => {
    if (sequence.startsWith('\r')) return '\n'
    return colours && SGR.test(sequence) ? sequence : ''
  })
}

/** What a reader would not see: controls, marks that reorder text, characters without width, tags. */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\u2028\u2029]/gu

/** The text with everything hidden in it written out: it acts on nothing, and shows that somebody tried. */
export function visible(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replace(HIDDEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
}
