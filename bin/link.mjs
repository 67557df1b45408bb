// After a build in a clone: `npx muster` there runs the clone, not a stranger's package of the same name.
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const link = fileURLToPath(new URL('../node_modules/.bin/muster', import.meta.url))
mkdirSync(fileURLToPath(new URL('../node_modules/.bin', import.meta.url)), { recursive: true })
rmSync(link, { force: true })
symlinkSync('../../bin/muster.mjs', link)
