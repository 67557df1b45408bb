/**
 * The project's files that a runner's configuration runs: setup files, reporters, environments, and what it imports.
 * Only these judge. Sources that a configuration merely names (entry points, aliases, what is compiled or covered) are
 * the judged work, and a person need not review each change of them.
 */
import { posix } from 'node:path'

/** Sections of a package.json that configure what judges; the rest of it does not. */
export const PACKAGE_PARTS = ['jest', 'mocha', 'ava', 'tap', 'babel', 'eslintConfig', 'prettier', 'c8', 'nyc']

/** Settings of test runners, linters and compilers whose values are loaded and run, or are more configuration. */
const KEYS = [
  'setupFiles|setupFilesAfterEnv|setupFile|supportFile|globalSetup|globalTeardown|testEnvironment|environment',
  'runner|testRunner|reporters?|transform|resolver|preset|presets|extends|snapshotSerializers|testSequencer|testResultsProcessor',
  'plugins|require|import|preload|loader|file|before|after|helpers|nodeArguments|node-arg|node-option|processor|provider|conftest|configFile|config',
].join('|')

const SETTING = new RegExp(`(?<![\\w$.-])["']?(?:${KEYS})["']?\\s*[:=]\\s*`, 'g')
const LOADED = /(?:\bfrom|\bimport|\brequire|\bimport\s*\(|\brequire\s*\()\s*["'`]([^"'`\n]{2,200})["'`]/g
const QUOTED = /["'`]([^"'`\n*]{2,200})["'`]/g
/** Items of a list in YAML, or one word behind the colon. */
const BARE = /^[^\S\n]*(?:\n(?:[^\S\n]*-[^\S\n]+\S[^\n]*(?:\n|$))+|[^\s"'`[{#][^\n]*)/

/** How much of one value is looked at. */
const valueCharsMax = 4000

/** Paths from the root, with or without their endings, as `path` with this `text` has them run. */
export function filesRunBy(path: string, text: string): string[] {
  const isPackage = posix.basename(path) === 'package.json'
  const names = isPackage ? packageNames(text) : [...settings(text), ...texts(text, LOADED).filter(isRelative)]
  return names.map((name) => posix.normalize(posix.join(posix.dirname(path), name.replace(/^<rootDir>\//, ''))))
}

/** The files that a package is known by: what its tests test. */
export function entriesOf(path: string, text: string): string[] {
  const json = parsed(text)
  const named = ['main', 'module', 'browser', 'types', 'typings', 'bin', 'exports'].flatMap((key) => strings(json[key]))
  return ['index.js', 'index.d.ts', ...named].map((name) => posix.normalize(posix.join(posix.dirname(path), name)))
}

function packageNames(text: string): string[] {
  const json = parsed(text)
  return PACKAGE_PARTS.flatMap((key) => settings(JSON.stringify({ [key]: json[key] })))
}

function settings(text: string): string[] {
  return [...text.matchAll(SETTING)].flatMap(({ 0: { length }, index }) => valueAt(text, index + length))
}

/** The quoted words of the value that begins there, or what YAML has in their place. */
function valueAt(text: string, from: number): string[] {
  const value = text.slice(from, from + valueCharsMax)
  const open = value[0] ?? ''
  if (open === '[' || open === '{') return texts(value.slice(0, closing(value)), QUOTED)
  if (/["'`]/.test(open)) return texts(value.split('\n', 1)[0] ?? '', QUOTED).slice(0, 1)
  const items = (BARE.exec(value)?.[0] ?? '').split('\n').map((line) => line.replace(/^\s*-\s+/, '').trim())
  return items.map((item) => item.replace(/^["']|["']$/g, '')).filter((item) => /^[\w./@-]{2,200}$/.test(item))
}

function closing(value: string): number {
  let depth = 0
  for (let at = 0; at < value.length; at += 1) {
    if ('[{('.includes(value[at] as string)) depth += 1
    else if (']})'.includes(value[at] as string) && (depth -= 1) === 0) return at
  }
  return value.length
}

const texts = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found = '']) => found)
const isRelative = (name: string): boolean => name.startsWith('./') || name.startsWith('../')

function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : []
}

/** A package.json that is no JSON names nothing. */
function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
