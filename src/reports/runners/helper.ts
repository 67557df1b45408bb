/** The files that some runners need to write a report. They are beside this file, and beside the bundle. */
import { readFile } from 'node:fs/promises'
import type { Helper } from './runner.ts'

/** Its text, with the report's path written into it. */
export async function helperText({ file }: Helper, reportPath: string): Promise<string> {
  const text = await readFile(new URL(`./helpers/${file}`, import.meta.url), 'utf8')
  // It stands in single quotes, in which all of these languages take a backslash for the same.
  const quoted = reportPath.replaceAll('\\', '\\\\').replaceAll("'", "\\'")
  return text.replaceAll('@REPORT@', () => quoted)
}
