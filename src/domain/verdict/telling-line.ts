/** Of what a program printed before it failed, the line that tells most: lists show no more. Pure. */

/** What installers say beside the matter, and where a program was when it failed. */
const BESIDE =
  /^\s*(?:$|npm notice\b|npm \S+(?:$| A complete log of this run\b| If you are behind a proxy\b| \}| {2,}\w+: )|\[notice\]|(?:note|hint): |(?:npm \S+ )?\s*at \S)|this error originates from a subprocess/i

const TELLS =
  /\b(?:error|could ?n[o']t|cannot|can't|failed|fatal|unable|not found|no such|no matching|missing|refused|denied)\b/i

/** The last that names an error; the last of all if none does. */
export function tellingLine(text: string): string {
  const lines = text
    .trim()
    .split('\n')
    .filter((line) => !BESIDE.test(line))
  return (lines.findLast((line) => TELLS.test(line)) ?? lines.at(-1) ?? '').trim()
}
