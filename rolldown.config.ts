import { copyFileSync, cpSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'rolldown'

/** Packages that go into the bundle: hundreds of small files would cost more than half of a command's start. */
const BUNDLED = [
  'kysely',
  'commander',
  'picomatch',
  'yaml',
  'zod',
  'hono',
  '@hono/node-server',
  '@modelcontextprotocol/core',
  '@modelcontextprotocol/server',
]

function isBundled(id: string): boolean {
  const [name = ''] = /^(?:@[^/]+\/)?[^/]+/.exec(id.split('/node_modules/').at(-1) ?? '') ?? []
  return id.startsWith('.') || (id.startsWith('/') && !id.includes('/node_modules/')) || BUNDLED.includes(name)
}

/** Three programs: the command line, split so that each command loads only what it needs, what starts git for it, and the scripted agent. */
export default defineConfig({
  input: {
    main: 'src/cli/main.ts',
    launcher: 'src/process/launcher.ts',
    'scripted-agent': 'src/agents/scripted/main.ts',
  },
  platform: 'node',
  external: (id) => !isBundled(id),
  output: {
    dir: 'dist',
    format: 'esm',
    cleanDir: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunk-[name]-[hash].js',
  },
  plugins: [
    {
      name: 'files that test runners are given',
      writeBundle() {
        cpSync('src/reports/runners/helpers', 'dist/helpers', { recursive: true })
      },
    },
    {
      name: 'licences of what is bundled',
      writeBundle() {
        mkdirSync('dist/licences', { recursive: true })
        for (const name of BUNDLED) {
          const folder = join('node_modules', name)
          const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
          if (file === undefined) throw new Error(`${name} has no licence file to bring along`)
          copyFileSync(join(folder, file), join('dist/licences', `${name.replace('/', '-')}.txt`))
        }
      },
    },
  ],
})
