import { expect, test } from 'vitest'
import { webAddress } from './web.ts'

test.each([
  ['https://api.github.com', 'https://github.com'],
  ['https://api.acme.ghe.com', 'https://acme.ghe.com'],
  ['https://git.example.org/api/v3', 'https://git.example.org'],
])('people look at %s by %s', (api, web) => {
  expect(webAddress(api)).toBe(web)
})
