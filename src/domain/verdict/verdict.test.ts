import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findingCharsMax, findingsMax } from '../limits.ts'
import type { VerdictScope } from './verdict.ts'
import { dutyByName } from '../role.ts'
import { VERDICTS, outcomeOf } from './verdict.ts'
import { parseVerdictFile } from './verdict-file.ts'

const author: VerdictScope = { taskId: 'auth-1', attempt: 2, nonce: 'n0nce', judge: false }
const judge: VerdictScope = { ...author, judge: true }
const good = { verdict: 'pass', task: 'auth-1', attempt: 2, nonce: 'n0nce', detail: 'all fine', findings: [] }
const json = (fields: Record<string, unknown>) => JSON.stringify(fields)
const parse = (fields: Record<string, unknown>, scope = judge) => parseVerdictFile(json(fields), scope)

describe('what a verdict means for the phase map', () => {
  test.each([
    ['PASS', 'ADVANCE'],
    ['WARN', 'ADVANCE'],
    ['FAIL', 'RETRY'],
    ['ERROR', 'ERROR'],
  ] as const)('S2.7 S2.8 %s is %s', (verdict, outcome) => {
    expect(VERDICTS).toContain(verdict)
    expect(outcomeOf(verdict)).toBe(outcome)
  })

  test.each([
    ['checker', true],
    ['validator', true],
    ['code-reviewer', true],
    ['post-deploy', true],
    ['implementer', false],
    ['coder', false],
    ['toString', false],
  ])('the role %s judges: %s', (role, expected) => {
    expect(dutyByName(role) === 'judge').toBe(expected)
  })
})

describe('whatever the fields of a verdict file are, reading it ends (E-1)', () => {
  const deep = `${'['.repeat(60_000)}${']'.repeat(60_000)}`
  const odd = '{ "toString": 1, "valueOf": 1 }'
  const fields = ['verdict', 'task', 'attempt', 'commit', 'nonce', 'detail', 'findings', 'criteria']
  test.each(fields)('%s', (field) => {
    for (const value of [deep, odd, `[{ "message": ${deep}, "line": ${odd}, "id": "c1", "status": ${deep} }]`]) {
      const rest = json({ ...good, verdict: 'fail', [field]: undefined }).slice(1)
      const text = `{ "${field}": ${value}, ${rest}`
      for (const scope of [author, judge]) expect(['FAIL', 'ERROR']).toContain(parseVerdictFile(text, scope).verdict)
    }
  })
})

describe('a verdict file that counts', () => {
  test('in JSON', () => {
    expect(parse(good)).toEqual({ verdict: 'PASS', detail: 'all fine', findings: [] })
  })

  test.each(['PASS', 'Pass', ' pass '])('writes its word as it likes: %j', (verdict) => {
    expect(parse({ ...good, verdict }).verdict).toBe('PASS')
  })

  test('in JSON with a byte order mark and white space around', () => {
    expect(parseVerdictFile(`\ufeff\n ${json(good)}\n`, judge).verdict).toBe('PASS')
  })

  test('as front matter, whose body is the detail', () => {
    const text = '---\n# mine\nverdict: "fail"\nnonce: n0nce\ntask: auth-1\nattempt: 2\n---\n\nthe form\nis broken\n'
    expect(parseVerdictFile(text, judge)).toEqual({ verdict: 'FAIL', detail: 'the form\nis broken', findings: [] })
    expect(parseVerdictFile(text.replaceAll('\n', '\r\n'), judge).verdict).toBe('FAIL')
  })

  test('with the same keys in several of its findings', () => {
    const findings = ['the form', 'the list'].map((message) => ({ severity: 'FAIL', message, file: 'a.html' }))
    expect(parse({ ...good, verdict: 'fail', findings })).toMatchObject({ verdict: 'FAIL', findings })
  })

  test('as front matter without a body, and with empty lines', () => {
    expect(parseVerdictFile('---\nverdict: pass\n\n  \nnonce: n0nce\n---', judge).verdict).toBe('PASS')
    expect(parseVerdictFile("---\nverdict: 'warn'\nnonce: n0nce\n---", judge).verdict).toBe('WARN')
  })

  test('from an author without task, attempt and nonce', () => {
    expect(parse({ verdict: 'pass' }, author)).toEqual({ verdict: 'PASS', detail: '', findings: [] })
    expect(parseVerdictFile('---\nverdict: pass\n---\n', author).verdict).toBe('PASS')
  })

  test('from an author with anything under criteria, which are not its to answer', () => {
    expect(parse({ verdict: 'pass', criteria: 'all' }, author).verdict).toBe('PASS')
  })

  test('with findings, each with what is known of it', () => {
    const findings = [
      { severity: 'fail', message: 'token is never checked', file: 'src/auth.ts', line: 42 },
      { severity: 'WARN', description: 'long function', line: -3 },
      { detail: 'no severity is FAIL', line: '7' },
      'a plain sentence',
      null,
    ]
    expect(parse({ ...good, verdict: 'fail', findings }, author).findings).toEqual([
      { severity: 'FAIL', message: 'token is never checked', file: 'src/auth.ts', line: 42 },
      { severity: 'WARN', message: 'long function' },
      { severity: 'FAIL', message: 'no severity is FAIL', line: 7 },
      { severity: 'FAIL', message: 'a plain sentence' },
      { severity: 'FAIL', message: '' },
    ])
  })

  test('keeps a bounded number of bounded findings', () => {
    const findings = Array.from({ length: findingsMax + 50 }, (_, index) =>
      `${index} `.padEnd(findingCharsMax + 50, 'x'),
    )
    const parsed = parse({ ...good, verdict: 'fail', detail: 'y'.repeat(findingCharsMax + 50), findings }, author)
    expect(parsed.findings).toHaveLength(findingsMax)
    expect(parsed.findings[0]?.message).toHaveLength(findingCharsMax)
    expect(parsed.detail).toHaveLength(findingCharsMax)
  })
})

describe('a verdict file that contradicts itself is FAIL', () => {
  test('PASS with a FAIL finding', () => {
    const parsed = parse({ ...good, detail: '', findings: [{ severity: 'FAIL', message: 'broken' }] })
    expect(parsed.verdict).toBe('FAIL')
    expect(parsed.detail).toContain('says PASS but has a FAIL finding')
    expect(parsed.findings).toEqual([{ severity: 'FAIL', message: 'broken' }])
  })

  test('also when the FAIL comes after as many warnings as are kept', () => {
    const warnings = Array.from({ length: findingsMax }, () => ({ severity: 'WARN', message: 'hm' }))
    expect(parse({ ...good, findings: [...warnings, { severity: 'FAIL', message: 'broken' }] }).verdict).toBe('FAIL')
  })

  test('PASS with warnings stays PASS, WARN with a FAIL finding stays WARN', () => {
    expect(parse({ ...good, findings: [{ severity: 'WARN', message: 'hm' }] }).verdict).toBe('PASS')
    expect(parse({ ...good, verdict: 'warn', findings: ['x'] }).verdict).toBe('WARN')
  })
})

const refusals: [string, string, string][] = [
  ['nothing in it', '  \n', 'it is empty'],
  ['prose', 'PASS, all is well', 'it is neither JSON nor front matter'],
  ['front matter without an end', '---\nverdict: pass\nnonce: n0nce\n', 'it is neither JSON nor front matter'],
  ['front matter that is no key and value', '---\nverdict pass\n---\n', 'the line "verdict pass" is not "key: value"'],
  ['front matter that says two things', '---\nverdict: pass\nverdict: fail\n---\n', 'it says "verdict" twice'],
  ['JSON cut off', '{"verdict":"pass","nonce":"n0nce"', 'it is not valid JSON'],
  ['JSON with something behind it', `${json(good)} {}`, 'it is not valid JSON'],
  ['JSON that says two things', '{"verdict":"fail","nonce":"n0nce","ver\\u0064ict":"pass"}', 'it says "verdict" twice'],
  [
    'JSON that says two things behind lists and objects',
    '{"criteria":[{"id":"c1"}],"meta":{"a":[]},"verdict":"fail","nonce":"n0nce","verdict":"pass"}',
    'it says "verdict" twice',
  ],
  ['no verdict', '{"nonce":"n0nce"}', 'its verdict is null, not pass, warn or fail'],
  ['an unknown word', json({ ...good, verdict: 'ok' }), 'its verdict is "ok", not pass, warn or fail'],
  ['a list of verdicts', json({ ...good, verdict: ['pass'] }), 'its verdict is ["pass"]'],
  ['ERROR, which is not for agents to say', json({ ...good, verdict: 'error' }), 'its verdict is "error"'],
  ['another task', json({ ...good, task: 'auth-2' }), 'it is for task auth-2, not auth-1'],
  ['another task under another key', json({ ...good, task_id: 'auth-2' }), 'it is for task auth-2, not auth-1'],
  ['no task where one should be', json({ ...good, task: null }), 'it is for task nothing, not auth-1'],
  ['an older attempt', json({ ...good, attempt: 1 }), 'it is for attempt 1, and this is attempt 2'],
  ['another nonce', json({ ...good, nonce: 'stale' }), 'its nonce is not the nonce of this run'],
  ['a nonce that is no text', json({ ...good, nonce: null }), 'its nonce is not the nonce of this run'],
  ['findings that are no list', json({ ...good, findings: 'none' }), 'its findings are not a list'],
]

describe('a verdict file that is refused', () => {
  test.each(refusals)('%s: FAIL from an author, ERROR from a judge', (_, text, why) => {
    const byAuthor = parseVerdictFile(text, author)
    expect(byAuthor.verdict).toBe('FAIL')
    expect(byAuthor.detail).toContain(`the verdict file was refused: ${why}`)
    expect(parseVerdictFile(text, judge).verdict).toBe('ERROR')
  })

  test('a judge that does not repeat the nonce: ERROR', () => {
    const { nonce: _, ...without } = good
    expect(parse(without)).toMatchObject({ verdict: 'ERROR' })
    expect(parse(without).detail).toContain('it lacks the nonce of this run')
  })
})

describe('whatever is in the file', () => {
  const scopes = [author, judge]
  const fragments = fc.constantFrom(
    '---\n',
    'verdict: pass\n',
    'verdict: PASS',
    '"verdict"',
    ':',
    '"pass"',
    '{',
    '}',
    ',',
    '[',
    ']',
    'n0nce',
    '\n',
    '"',
    '\\',
  )
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => new TextDecoder().decode(bytes)),
    fc.array(fragments, { maxLength: 20 }).map((parts) => parts.join('')),
  )

  test('the parser answers, and says PASS only for a text with a verdict field that says pass', () => {
    fc.assert(
      fc.property(text, fc.constantFrom(...scopes), (raw, scope) => {
        const { verdict } = parseVerdictFile(raw, scope)
        expect(VERDICTS).toContain(verdict)
        expect(verdict !== 'PASS' || /verdict"?\s*:\s*["']?\s*pass/i.test(raw)).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  test('a judge passes only with the nonce of its run', () => {
    const word = fc.constantFrom<unknown[]>('pass', 'pass', 'n0nce', 'n0nce', 'auth-1', 'fail', 2, null, [], {})
    const fields = fc.record(
      { verdict: word, nonce: word, task: word, attempt: word, findings: fc.constantFrom([], ['x'], null, 'pass') },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fields, (value) => {
        const fits =
          value.verdict === 'pass' &&
          value.nonce === 'n0nce' &&
          (value.attempt === undefined || value.attempt === 2) &&
          (value.task === undefined || value.task === 'auth-1') &&
          (value.findings === undefined || value.findings === null || value.findings.length === 0)
        expect(parse(value).verdict === 'PASS').toBe(fits)
      }),
      { numRuns: 1000 },
    )
  })

  test('a megabyte of openings takes no time to speak of', () => {
    const started = performance.now()
    for (const part of ['---\n', '{"a":', '"\\', '[', '--- \t', '\n---']) parseVerdictFile(part.repeat(200_000), judge)
    expect(performance.now() - started).toBeLessThan(3000)
  })
})
