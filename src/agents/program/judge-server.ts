/** How the server of a judge's tools is started beside an agent program: Muster itself, with the Node that runs it. */
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Rule } from '../../process/view.ts'

/** In the sources, or in the bundle, where everything lies in one folder. */
const source = import.meta.url.endsWith('.ts')
const root = fileURLToPath(new URL(source ? '../../..' : '..', import.meta.url))
const main = join(root, source ? 'src/cli/main.ts' : 'dist/main.js')

export function judgeServer(dir: string): [program: string, ...args: string[]] {
  return [process.execPath, main, 'mcp', '--role', 'judge', '--dir', dir]
}

/** What it needs to read, which may lie in a place that is hidden from the program, or be in no image. */
export const JUDGE_SERVER_RULES: readonly Rule[] = [
  process.execPath,
  join(root, 'package.json'),
  ...(source ? [join(root, 'src'), join(root, 'node_modules')] : [dirname(main)]),
].map((path) => ({ path, access: 'read', always: true }))
