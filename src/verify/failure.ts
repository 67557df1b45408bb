/**
 * How a test failed, in a form that two runs can compare: without what differs from run to run (numbers, paths,
 * timings, addresses, stack frames). Pure.
 */
import type { TestCase } from '../domain/verdict/test-report.ts'

const charsMax = 600

/** Where the words of a failure end and its stack or the source around it begins. */
const STACK = /^(?:at |❯|File "|Traceback|stack:|\^|⎯|>? *\d+ *[|│]|\S+:\d+:\d+\)?$)/
/** pytest marks the words among the source of the test. */
const EXPLAINED = /^E {2,}/

/** Both failed in the same way: as a whole file or as a test, and with the same words. */
export function sameWay(a: Pick<TestCase, 'kind' | 'message'>, b: Pick<TestCase, 'kind' | 'message'>): boolean {
  return a.kind === b.kind && wordsOf(a.message ?? '') === wordsOf(b.message ?? '')
}

export function wordsOf(message: string): string {
  const lines = message.split('\n').map((line) => line.trim())
  const explained = lines.filter((line) => EXPLAINED.test(line)).map((line) => line.replace(EXPLAINED, ''))
  const stack = lines.findIndex((line) => STACK.test(line))
  const said = explained.length > 0 ? explained : lines.slice(0, stack < 0 ? lines.length : stack)
  return said
    .join(' ')
    .slice(0, charsMax)
    .replace(/(?:[a-z]+:\/\/)?[\w.@~-]*(?:\/[\w.@~+-]+)+\/?/gi, '<path>')
    .replace(/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi, '#')
    .replace(/\b0x[\da-f]+\b|\b(?=[a-f]*\d)[\da-f]{7,}\b/gi, '#')
    .replace(/-?\b\d+(?:[.,:]\d+)*(?: ?(?:ms|µs|us|ns|s|min|h)\b)?/g, '#')
    .replace(/\s+/g, ' ')
    .trim()
}
