/**
 * `npm run runners:install`: puts test runners from the registry into .runners/ of this checkout, for test/runners. Not among
 * the dependencies: together they are large, and the tests do without. Runners for other languages are the machine's own.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OLDER, VERSIONS } from './versions.mjs'

const folder = join(import.meta.dirname, '../../.runners')
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
const packages = Object.entries(VERSIONS).map(([name, version]) => `${name}@${version}`)
const older = Object.entries(OLDER).map(([name, what]) => `${name}@${what}`)
const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error']
execFileSync('npm', ['install', '--prefix', folder, ...flags, ...packages, ...older], { stdio: 'inherit' })
// What bun's own install script would do.
const [bun] = readdirSync(join(folder, 'node_modules/@oven'))
rmSync(join(folder, 'node_modules/.bin/bun'), { force: true })
if (bun !== undefined) symlinkSync(join('../@oven', bun, 'bin/bun'), join(folder, 'node_modules/.bin/bun'))
console.log(packages.join('\n'))
