import { defineConfig } from 'rolldown'

/** Two programs: the command line, split so that each command loads only what it needs, and the scripted agent. */
export default defineConfig({
  input: { main: 'src/cli/main.ts', 'scripted-agent': 'src/agents/scripted/main.ts' },
  platform: 'node',
  external: (id) => !id.startsWith('.') && !id.startsWith('/'),
  output: {
    dir: 'dist',
    format: 'esm',
    cleanDir: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunk-[name]-[hash].js',
  },
})
