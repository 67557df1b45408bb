/**
 * Which files of a tree a file uses, as far as its text shows: what it imports, requires or names by path. It knows no
 * language well and resolves no configuration: if a word may mean several files, it counts all of them. Pure.
 */
import { posix } from 'node:path'

/** Longer ones are cut: any file may be met here. */
const specifierCharsMax = 300

/** The files of a tree by the last part of their path without its ending. */
interface FileNames {
  byName: ReadonlyMap<string, readonly string[]>
}

export function fileNames(paths: readonly string[]): FileNames {
  return { byName: Map.groupBy(paths, (path) => bare(path).split('/').at(-1) ?? '') }
}

/** The files that this one names. */
export function usedBy(path: string, text: string, names: FileNames): string[] {
  const folder = posix.dirname(path)
  const wanted = path.endsWith('.py') ? [...pythonModules(text, folder), ...quotedPaths(text)] : quotedPaths(text)
  return [...new Set(wanted)].flatMap((specifier) => resolve(specifier, folder, names))
}

/** Quoted words that may be paths: imports of JavaScript, Ruby and PHP, scripts that are started, fixtures that are read. */
function quotedPaths(text: string): string[] {
  return [...text.matchAll(/(['"`])([^'"`\s]{1,200})\1/g)]
    .map(([, , word = '']) => word)
    .filter((word) => /[./\\]/.test(word))
    .map((word) => word.replaceAll('\\', '/').replace(/^[@~#]\//, ''))
}

/** `from a.b import c, d` and `import a.b`, as paths; `from . import c` from the file's own folder. */
function pythonModules(text: string, folder: string): string[] {
  const lines = text.split('\n').filter((line) => /^[ \t]{0,40}(?:from|import)[ \t]/.test(line))
  return lines.flatMap((line) => {
    const words = line.slice(0, specifierCharsMax).trim()
    const [, dots = '', module = '', imported = ''] =
      /^from\s+(\.*)(\w[\w.]*)?\s+import\s+\(?([\w, \t]+)/.exec(words) ?? []
    if (imported === '') return namesIn(words.replace(/^import\s/, ''))
    const up =
      dots === '' ? '' : `./${posix.relative(folder, posix.join(folder, '../'.repeat(dots.length - 1))) || '.'}/`
    const base = `${up}${module.replaceAll('.', '/')}`
    return [base, ...namesIn(imported).map((name) => `${base}/${name}`)]
  })
}

/** `a.b as c, d` names a/b and d. */
function namesIn(list: string): string[] {
  return list.split(',').map((name) => (name.trim().split(/\s/)[0] ?? '').replaceAll('.', '/'))
}

function resolve(specifier: string, folder: string, { byName }: FileNames): string[] {
  const isRelative = /^\.{1,2}(?:\/|$)/.test(specifier)
  const wanted = bare(posix.normalize(isRelative ? posix.join(folder, specifier) : specifier).replace(/^\/+|\/+$/g, ''))
  const found = byName.get(wanted.split('/').at(-1) ?? '') ?? []
  return found.filter((path) => (isRelative ? bare(path) === wanted : `/${bare(path)}`.endsWith(`/${wanted}`)))
}

/** Without its ending; an index is its folder. */
function bare(path: string): string {
  return path.replace(/(?<=[^/.])\.[^/]*$/, '').replace(/\/(?:index|__init__|mod)$/, '')
}
