/** Finds a program that Muster itself starts. */
import { childEnvironment } from './environment.ts'
import { runToEnd } from './run.ts'

/** The program on the PATH; absolute, since the worker's own PATH decides nothing about its sandbox. */
export async function pathOf(name: string): Promise<string | null> {
  const command = ['/bin/sh', '-c', 'command -v -- "$1"', 'sh', name]
  const result = await runToEnd({ command, cwd: '/', env: childEnvironment() }).catch(() => null)
  const path = result?.code === 0 ? result.stdout.toString().trim() : ''
  return path.startsWith('/') ? path : null
}
