import { defineConfig } from 'vitest/config'

/** Rooms whose tests start no processes of their own and change nothing outside: they may share one. */
const PURE = 'src/{channels,config,contract,domain,engine}/**/*.test.ts'

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
      { extends: true, test: { name: 'whole', include: ['src/**/*.test.ts', 'test/**/*.test.ts'], exclude: [PURE] } },
    ],
  },
})
