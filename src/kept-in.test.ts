import { expect, test } from 'vitest'
import { describeLimits } from './kept-in.ts'
import type { Place } from './process/limits/groups.ts'

const place: Place = { version: 2, base: '/sys/fs/cgroup/app.slice', ceiling: null }
const chosen = { processes: 512, memoryBytes: 4 * 1024 ** 3, diskBytes: 10 * 1024 ** 3 }

test('doctor tells what a run may use, and which limits do not hold here', async () => {
  expect(await describeLimits(chosen, { pids: place, memory: place })).toEqual({
    text: 'each run may use 512 processes, 4.0 GB of memory, 10 GB of disk',
    kept: true,
  })
  expect(await describeLimits(chosen, { pids: '/sys/fs/cgroup: EROFS', memory: '/sys/fs/cgroup: EROFS' })).toEqual({
    text: `each run may use 10 GB of disk
the limit on 512 processes and 4.0 GB of memory is not enforced here (/sys/fs/cgroup: EROFS)
to enforce it on a machine with systemd: systemd-run --user --scope muster …`,
    kept: false,
  })
  const lifted = { processes: null, memoryBytes: null, diskBytes: null }
  expect(await describeLimits(lifted, { pids: 'no', memory: 'no' })).toEqual({
    text: 'runs have no limits',
    kept: true,
  })
})
