import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { countdown } from './countdown.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('calls back when its time is over, once', () => {
  const onEnd = vi.fn()
  countdown(1000, onEnd)
  vi.advanceTimersByTime(999)
  expect(onEnd).not.toHaveBeenCalled()
  vi.advanceTimersByTime(5000)
  expect(onEnd).toHaveBeenCalledOnce()
})

test('the time while it is stopped does not count (F-10)', () => {
  const onEnd = vi.fn()
  const clock = countdown(1000, onEnd)
  vi.advanceTimersByTime(400)
  clock.setRunning(false)
  clock.setRunning(false)
  vi.advanceTimersByTime(1_000_000)
  clock.setRunning(true)
  clock.setRunning(true)
  vi.advanceTimersByTime(599)
  expect(onEnd).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(onEnd).toHaveBeenCalledOnce()
})

test('a cancelled one never calls back, whatever is done with its clock', () => {
  const onEnd = vi.fn()
  const clock = countdown(1000, onEnd)
  clock.cancel()
  clock.setRunning(false)
  clock.setRunning(true)
  vi.advanceTimersByTime(5000)
  expect(onEnd).not.toHaveBeenCalled()
})

test('counts down more time than a timer takes', () => {
  const onEnd = vi.fn()
  const days = 24 * 3600 * 1000
  countdown(40 * days, onEnd)
  vi.advanceTimersByTime(39 * days)
  expect(onEnd).not.toHaveBeenCalled()
  vi.advanceTimersByTime(2 * days)
  expect(onEnd).toHaveBeenCalledOnce()
})
