/** Before all tests: the program is built once, so that black-box tests run what users run. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

export default function build(): void {
  execFileSync('npm', ['run', '--silent', 'prepare'], {
    cwd: join(import.meta.dirname, '../..'),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
