/**
 * Removes a folder with anything in it: some tools leave folders that even their owner may not change, and agents can
 * create paths that are too long for the system.
 */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { MusterError } from '../domain/errors.ts'
import { toolEnvironment } from '../process/environment.ts'
import { runToEnd } from '../process/run.ts'

const timeoutMs = 10 * 60 * 1000

export async function removeTree(dir: string): Promise<void> {
  try {
    await rm(dir, { recursive: true, force: true, maxRetries: 3 })
  } catch (cause) {
    // These two go down a tree step by step, so that no path is too long for them, and neither follows a link.
    for (const command of [
      ['chmod', '-R', 'u+rwx'],
      ['rm', '-rf'],
    ]) {
      await runToEnd({ command: [...command, '--', dir], cwd: '/', env: toolEnvironment(), timeoutMs })
    }
    if (!existsSync(dir)) return
    throw new MusterError('failed', `${dir} could not be removed: ${(cause as Error).message}`, {
      hint: 'it is no longer needed: find out what blocks it, and remove it by hand',
      cause,
    })
  }
}
