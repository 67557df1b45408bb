#!/usr/bin/env -S node --max-semi-space-size=8
// Starts Muster on a Node that can run it. On an older one it says so, unless a newer Node came along as the package
// `node` beside this one (a clone of the project has it): then it hands over to that. The small young generation keeps an
// engine with a hundred thousand open tasks below 200 MB.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const major = Number(process.versions.node.split('.')[0])
const own = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url))
if (major >= 24) {
  await import('../dist/main.js')
} else if (existsSync(own)) {
  const { spawn } = await import('node:child_process')
  const main = fileURLToPath(new URL('../dist/main.js', import.meta.url))
  const child = spawn(own, [...process.execArgv, main, ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  // A terminal's Ctrl-C reaches both processes; ours only has to wait for the other.
  process.on('SIGINT', () => undefined)
  child.on('exit', (code, signal) => {
    if (signal !== null) process.kill(process.pid, 'SIGKILL')
    process.exitCode = code ?? 1
  })
} else {
  console.error(`muster: this is Node ${process.versions.node}, and Muster needs Node 24 or newer`)
  console.error('  install a current Node, for example: npm install --global node@24')
  process.exitCode = 2
}
