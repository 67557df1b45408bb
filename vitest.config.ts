import { defineConfig } from 'vitest/config'
import { memory } from './test/support/memory.ts'

const WHOLE = ['src/**/*.test.ts', 'test/**/*.test.ts']

/** What is kept in by a sandbox, which has a /dev of its own: its files cannot be in memory. And what brings its own. */
const SANDBOXED = [
  'src/{agents,process}/**/*.test.ts',
  'test/agents/**/*.test.ts',
  'test/{blackbox/{container,demo,landing,sandbox,start,verify-bad},crash/kill}.test.ts',
  'test/{hostile/{escape,processes},lies/sandboxed,examples,package,zoo}.test.ts',
  // A browser is unpacked once, and is too large for that.
  'test/web/**/*.test.ts',
]

const FAULTY = ['test/faults/**/*.test.ts']

export default defineConfig({
  test: {
    pool: 'forks',
    // One more than the cores it is made for: tests wait for processes and for time, and somebody else can work then.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Tests never see the developer's own Muster data, agent accounts or git configuration.
    globalSetup: ['test/support/build.ts'],
    setupFiles: ['test/support/setup.ts'],
    // Everything there is to a test is made by it and goes with its file: files share a process.
    isolate: false,
    projects: [
      { extends: true, test: { name: 'sandboxed', include: SANDBOXED } },
      {
        extends: true,
        test: { name: 'whole', include: WHOLE, exclude: [...SANDBOXED, ...FAULTY], env: { TMPDIR: memory } },
      },
      // These replace parts of node itself, and are alone in their process.
      { extends: true, test: { name: 'faulty', include: FAULTY, isolate: true, env: { TMPDIR: memory } } },
    ],
  },
})
