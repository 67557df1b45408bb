/** Shows a text in the user's own pager, with their terminal and environment. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** False: it could not be started, and nothing was shown. `command` is for the shell, as `$PAGER` is everywhere. */
export async function pageText(
  command: string,
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  // Without settings of the user's own, less would show colours as codes and a short page on a screen of its own.
  const child = spawn('/bin/sh', ['-c', command], {
    env: { ...env, LESS: env['LESS'] ?? 'FRX' },
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  // Whoever has read enough closes it before its end.
  child.stdin.on('error', () => undefined)
  child.stdin.end(text)
  const [code] = (await once(child, 'close')) as [number | null]
  return code !== 126 && code !== 127
}
