import { expect, test } from 'vitest'
import { formatBytes } from './bytes.ts'

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 KB'],
  [4096, '4.0 KB'],
  [10_200, '10 KB'],
  [1_048_576, '1.0 MB'],
  [1_073_000_000, '1.0 GB'],
  [5 * 1024 ** 5, '5120 TB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})
