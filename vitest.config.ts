import { defineConfig } from 'vitest/config'
import { memory } from './test/support/memory.ts'

/** Rooms whose tests start no processes of their own and change nothing outside: they may share one. */
const PURE = 'src/{channels,config,contract,domain,engine}/**/*.test.ts'

/** What is kept in by a sandbox, which has a /dev of its own: its files cannot be in memory. */
const SANDBOXED = [
  'src/{agents,process}/**/*.test.ts',
  'test/agents/**/*.test.ts',
  'test/blackbox/{landing,sandbox,start,verify-bad}.test.ts',
  'test/{hostile/processes,lies/sandboxed,package}.test.ts',
]

/** Everything there is to a scenario is made by it and goes with it: they too may share a process. */
const SHARED = ['src/{store,verify,workspace}/**/*.test.ts', 'test/{crash,scenario}/**/*.test.ts']

const WHOLE = ['src/**/*.test.ts', 'test/**/*.test.ts']

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Tests never see the developer's own Muster data, agent accounts or git configuration.
    globalSetup: ['test/support/build.ts'],
    setupFiles: ['test/support/setup.ts'],
    projects: [
      { extends: true, test: { name: 'pure', include: [PURE], isolate: false } },
      { extends: true, test: { name: 'shared', include: SHARED, isolate: false, env: { TMPDIR: memory } } },
      { extends: true, test: { name: 'sandboxed', include: SANDBOXED } },
      {
        extends: true,
        test: { name: 'whole', include: WHOLE, exclude: [PURE, ...SHARED, ...SANDBOXED], env: { TMPDIR: memory } },
      },
    ],
  },
})
