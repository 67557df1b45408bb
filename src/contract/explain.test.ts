import { expect, test } from 'vitest'
import { classify } from './classify.ts'
import { explainText } from './explain.ts'

test('--explain shows what was weighed', () => {
  expect(explainText(classify('Fix docs crash'))).toMatchInlineSnapshot(`
      "  +4 skip: "fix … docs" produces prose
        +2 verifiable: "crash" says what is wrong
        verifiable 3.5, skip 4, advisory 0 → verifiable, ambiguous"
    `)
})
