/**
 * How the board is built: into dist/web, beside the program that serves it. `npm run dev:web` shows it as it is being
 * written, in front of a running muster serve: MUSTER_URL is where that is, MUSTER_TOKEN_FILE the file it names.
 */
import { copyFileSync, mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vite'

const { MUSTER_URL = 'http://127.0.0.1:4747', MUSTER_TOKEN_FILE } = process.env

const dist = join(import.meta.dirname, '../dist')

const BUNDLED = [
  'react',
  'react-dom',
  'scheduler',
  '@tanstack/react-query',
  '@tanstack/react-router',
  '@tanstack/react-virtual',
  'lowlight',
  'highlight.js',
  'devlop',
]

export default defineConfig({
  root: import.meta.dirname,
  build: {
    outDir: join(dist, 'web'),
    emptyOutDir: true,
    target: 'es2023',
    // All of it comes from our own server by name: nothing inline, nothing that a strict policy would refuse.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Packages mark what servers must not render; nothing here is rendered by one.
      onwarn: (warning, tell) => warning.code !== 'MODULE_LEVEL_DIRECTIVE' && tell(warning),
    },
  },
  plugins: [
    {
      name: 'licences of what is bundled',
      writeBundle() {
        mkdirSync(join(dist, 'licences'), { recursive: true })
        for (const name of BUNDLED) {
          const folder = join(import.meta.dirname, '../node_modules', name)
          const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
          if (file === undefined) throw new Error(`${name} has no licence file to bring along`)
          copyFileSync(join(folder, file), join(dist, 'licences', `${name.replace('/', '-')}.txt`))
        }
      },
    },
  ],
  server: {
    proxy: {
      '/api': {
        target: MUSTER_URL,
        changeOrigin: true,
        configure(proxy) {
          proxy.on('proxyReq', (request) => {
            request.removeHeader('origin')
            if (MUSTER_TOKEN_FILE === undefined) return
            request.setHeader('Authorization', `Bearer ${readFileSync(MUSTER_TOKEN_FILE, 'utf8').trim()}`)
          })
        },
      },
    },
  },
})
