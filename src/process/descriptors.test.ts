import { expect, test } from 'vitest'
import { requireDescriptors } from './descriptors.ts'

test('too few open files are refused before anything is begun, with what to type', () => {
  expect(() => requireDescriptors(63)).toThrow(/allows a process only 63 open files; Muster needs 64/)
  expect(() => requireDescriptors(64)).not.toThrow()
  expect(() => requireDescriptors(null)).not.toThrow()
  expect(() => requireDescriptors()).not.toThrow()
})
