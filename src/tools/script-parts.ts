/** Splits a package script into commands that each run without the script. Pure. */
import { isManager, managerOf, packageOf, type ReadText } from './packages.ts'
import { commandAt, firstWords, simpleCommands } from './words.ts'

/**
 * Of a command that runs a package script (`npm test`): the parts of that script, and of those that run before and after it,
 * as far as `&&` joins them. Empty for any other command, for one that is a single part, and where a script is more than
 * that: joined to others by `&&`, its `||` or comment would mean something else.
 */
export function scriptParts(command: string, names: ReadonlySet<string>, read: ReadText): string[] {
  const words = firstWords(command).map(({ text }) => text ?? '')
  const name = words.at(-1) ?? ''
  const { scripts, dependencies } = packageOf(read)
  if (!isManager(words[0] ?? '') || typeof scripts[name] !== 'string') return []
  const { exec } = managerOf(names, read)
  const isInstalled = (program: string): boolean =>
    Object.hasOwn(dependencies, program) || (program === 'tsc' && Object.hasOwn(dependencies, 'typescript'))
  const bodies = [`pre${name}`, name, `post${name}`].flatMap((each) => {
    const body = scripts[each]
    return typeof body === 'string' ? [body] : []
  })
  const parts = bodies.map((body) => partsOf(body, exec, isInstalled))
  return parts.some((some) => some.length === 0) || parts.flat().length < 2 ? [] : parts.flat()
}

/** More than commands that `&&` and pipes join; told by the characters alone, so that none is missed. */
const MORE = /[;#\n]|\|\||(?<![&>])&(?![&>])/

/** Empty for one that cannot be taken apart. */
function partsOf(body: string, exec: string, isInstalled: (program: string) => boolean): string[] {
  const commands = MORE.test(body) ? [] : (simpleCommands(body) ?? [])
  const parts: string[] = []
  let part = ''
  for (const { words, start, end, joint } of commands) {
    const program = words[commandAt(words)]
    const at = program?.start ?? start
    // A script finds the programs of its packages by itself; a command of its own needs somebody who does.
    const before = isInstalled(program?.text ?? '') ? `${exec} ` : ''
    part += `${body.slice(start, at)}${before}${body.slice(at, end)}`
    if (joint === '|') part += ' | '
    else {
      parts.push(part)
      part = ''
    }
  }
  return parts
}
