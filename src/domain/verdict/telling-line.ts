/** Picks the most telling line of a failed program's output, because lists show only one. Pure. */

/** What installers say beside the matter, and where a program was when it failed. */
const BESIDE = new RegExp(
  [
    /^\s*(?:$|npm notice\b|\[notice\]|(?:note|hint): |(?:npm \S+ )?\s*at \S)/,
    /^\s*npm \S+(?:$| A complete log of this run\b| If you are behind a proxy\b| \}| {2,}\w+: )/,
    /^\s*\[ERROR\]\s*(?:$|To see the full stack|Re-run Maven|For more information|\[Help \d)/,
    /^\s*(?:BUILD FAILED|FAILURE: |\* (?:Try|Get more)|> Run with |Run with )/,
    /^\s*nox > /,
    // The exit code of a recipe, behind what the recipe said itself.
    /^\s*g?make(?:\[\d+\])?: (?:\*\*\* \[|(?:Entering|Leaving) directory)/,
    /^\s*\w+ \[-/,
    /this error originates from a subprocess/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
)

const TELLS =
  /\b(?:error|could ?n[o']t|cannot|can't|failed|fatal|unable|not found|not known|no such|no matching|missing|refused|denied)\b/i

const UNREACHED =
  /\b(?:name or service not known|could not (?:reach|resolve) host|unknown ?host|enotfound|eai_again|econnrefused|connection (?:refused|timed out)|name resolution|network is unreachable|failed to establish a new connection)\b/i

/** Whether that speaks of a host that could not be reached. */
export const isUnreached = (text: string): boolean => UNREACHED.test(text)

/** The last that names an error; the last of all if none does. */
export function tellingLine(text: string): string {
  const all = unwrapped(text.trimEnd().split('\n'))
  const lines = all.filter((line) => !BESIDE.test(line))
  return (lines.findLast((line) => TELLS.test(line)) ?? lines.at(-1) ?? all.at(-1) ?? '').trim()
}

/** Symfony's programs, such as Composer, break a message into lines of one width, between two blanks on each side. */
function unwrapped(lines: readonly string[]): string[] {
  const whole: string[] = []
  let goesOn = 0
  for (const line of lines) {
    const isFramed = /^ {2}\S.* {2}$/.test(line) && line.length > framedCharsMin
    if (isFramed && line.length === goesOn) whole.push((whole.pop() ?? '') + line.slice(2, -2))
    else whole.push(isFramed ? line.slice(0, -2) : line)
    goesOn = isFramed && !line.endsWith('   ') ? line.length : 0
  }
  return whole
}

const framedCharsMin = 40
