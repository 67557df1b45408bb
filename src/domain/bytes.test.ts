import { expect, test } from 'vitest'
import { formatBytes, parseBytes } from './bytes.ts'

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

test.each([
  ['512m', 512 * 1024 ** 2],
  ['4g', 4 * 1024 ** 3],
  ['1.5 GB', 1.5 * 1024 ** 3],
  ['8K', 8192],
  ['2t', 2 * 1024 ** 4],
  ['512', null],
  ['4 g m', null],
  ['-1g', null],
  ['', null],
])('%s is %s bytes', (text, bytes) => {
  expect(parseBytes(text)).toBe(bytes)
})
