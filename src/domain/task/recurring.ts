/**
 * Whether the rounds of a task converge: a failure that comes back round after round goes to a person, not to another
 * attempt (H-5).
 */
import type { Finding, FindingText } from '../verdict/verdict.ts'

/** The same finding in this many rounds in a row holds the task. */
export const recurringMax = 3

const printCharsMax = 120

/** What two findings have in common that mean the same: numbers, quotes and spacing do not matter, nor the line. */
export function fingerprint({ criterion, file = '', message }: FindingText): string {
  if (criterion !== undefined) return `${criterion} ${file}`.trimEnd().slice(0, printCharsMax)
  return `${file} ${normalised(message)}`.trimStart().slice(0, printCharsMax)
}

/** A message without what changes from run to run: numbers, hashes, times, quotes and spacing. */
export function normalised(message: string): string {
  return message
    .toLowerCase()
    .replace(/\b(?:0x)?[0-9a-f]*\d[0-9a-f]*\b/g, '#')
    .replace(/[^\p{L}#]+/gu, ' ')
    .trim()
}

/** The same, but with the numbers that count something: only times and hashes go. */
export function withoutTimes(message: string): string {
  return message
    .toLowerCase()
    .replace(/\b\d+(?:\.\d+)?\s?(?:ms|s|sec|seconds|m|min|minutes)\b|\b\d+:\d\d(?::\d\d)?(?:\.\d+)?\b/g, '#')
    .replace(/\b(?:0x)?(?=[0-9a-f]*\d)[0-9a-f]{7,}\b/g, '#')
    .replace(/\s+/g, ' ')
    .trim()
}

/** In how many rounds in a row each of these has come; what did not come this time starts over. */
export function counted(
  before: Readonly<Record<string, number>>,
  prints: readonly string[],
): Readonly<Record<string, number>> {
  return Object.fromEntries(
    prints.map((print) => [print, (Object.hasOwn(before, print) ? (before[print] ?? 0) : 0) + 1]),
  )
}

/** One that came too often. */
export function stuckOn(rounds: Readonly<Record<string, number>>): string | undefined {
  return Object.keys(rounds).find((print) => (rounds[print] ?? 0) >= recurringMax)
}

/** A finding as people see it: with the round it was found in first, if that was an earlier one. */
export type ShownFinding = Finding & { since?: number }

export function withFirstRound(findings: readonly Finding[]): ShownFinding[] {
  const first = new Map<string, number>()
  for (const finding of findings) {
    const print = fingerprint(finding)
    first.set(print, Math.min(first.get(print) ?? finding.round, finding.round))
  }
  return findings.map((finding) => {
    const since = first.get(fingerprint(finding)) ?? finding.round
    return since < finding.round ? { ...finding, since } : finding
  })
}
