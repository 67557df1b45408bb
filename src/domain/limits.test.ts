/** Times that SPEC.md and docs/ name to people. */
import { expect, test } from 'vitest'
import { parseDuration } from './duration.ts'
import * as limits from './limits.ts'

test.each<[string, number, string]>([
  ['an author works', limits.agentTimeoutMs, '30m'],
  ['a judge works', limits.judgeTimeoutMs, '15m'],
  ['a checker works', limits.checkerTimeoutMs, '10m'],
  ['a check runs', limits.checkTimeoutMs, '10m'],
  ['a setup runs', limits.setupTimeoutMs, '30m'],
  ['a deploy runs', limits.deployTimeoutMs, '15m'],
  ['a command after a deploy runs', limits.postDeployTimeoutMs, '5m'],
  ['any timeout may be', limits.timeoutMsMax, '30d'],
  ['runs are kept', limits.keepRunsMs, '30d'],
  ['golden copies are kept', limits.keepGoldenMs, '14d'],
  ['anything may be kept', limits.keepMsMax, '3650d'],
  ['a lane is closed that did not say for how long', limits.limitBackoffMs, '1m'],
  ['that is doubled', limits.limitBackoffMsMax, '1h'],
  ['a lane may be closed', limits.limitMsMax, '8d'],
  ['run waits for a lane', limits.limitWaitMs, '6h'],
  ['a forge is left alone at first', limits.forgePollMs, '5s'],
  ['a forge is left alone in the end', limits.forgePollMsMax, '2m'],
  ['an action at a forge is not begun again', limits.forgeTryMsMax, '15m'],
  ['checks must have been green', limits.ciSteadyMs, '30s'],
])('how long %s', (_, ms, time) => {
  expect(ms).toBe(parseDuration(time))
})
