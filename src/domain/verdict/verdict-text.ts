/**
 * A verdict in plain words: what a judge prints or says last. It stands on lines of its own, with the nonce beside it:
 *
 *     **Verdict: PASS**
 *     **Nonce: 3f9c…**
 *     **Criteria:**
 *     - c1 PASS ran `npm test -- session`, 3 passed
 *     **Findings:**
 *     - [FAIL] src/auth.ts:42 token is never checked
 *
 * The text around it may quote anything: the work, the template, older verdicts.
 */
import { linesOf } from './verdict-lines.ts'
import { marksOf } from './verdict-mark.ts'
import { sectionsOf } from './verdict-sections.ts'
import type { Reading } from './verdict-statement.ts'

/** Null if there is no verdict in it. */
export function textReading(text: string, nonce: string): Reading | null {
  const lines = linesOf(text)
  const { words, bold, nonces, quoted, disguised } = marksOf(lines)
  if (disguised) return 'its verdict is written in letters that only look like PASS, WARN or FAIL'
  if (words.length === 0) return quoted.includes(nonce) ? 'its verdict is inside code or a quotation' : null
  const said = nonces.find((other) => other !== nonce) ?? nonces[0]
  // Scripts print such lines for people.
  if (said === undefined && !bold) return null
  if (said === undefined) return 'its verdict comes without the nonce of this run on the next line'
  const fails = words.includes('FAIL')
  const { findings, criteria, prose } = sectionsOf(lines, fails ? 'FAIL' : 'WARN')
  // With findings, the rest is how the judge came to them.
  const reasoned = fails && (findings.length > 0 || criteria.some(({ met }) => !met))
  return { words, tasks: [], nonce: said, detail: reasoned ? '' : prose, findings, criteria }
}
