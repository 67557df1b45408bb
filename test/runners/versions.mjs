/** The test runners from the registry that the tests run where they are there, in the versions they were tried with. */
export const VERSIONS = {
  ava: '7.0.0',
  borp: '0.21.0',
  bun: '1.4.4',
  deno: '2.9.6',
  jasmine: '7.0.0',
  jest: '30.5.2',
  mocha: '12.0.3',
  '@playwright/test': '1.65.1',
  'rust-just': '1.57.0',
  tap: '21.8.0',
  tape: '5.10.2',
  tsx: '4.23.15',
  uvu: '0.5.6',
  pnpm: '12.18.0',
}

/** Older ones that are still about, under names of their own. */
export const OLDER = { mocha7: 'npm:mocha@7.2.0', mocha9: 'npm:mocha@9.2.2' }
