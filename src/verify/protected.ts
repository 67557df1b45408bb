/** Files that decide how work is judged: a change that touches one is shown as such and needs a person. */
import picomatch from 'picomatch'
import type { Workspaces } from '../ports/workspaces.ts'
import { trustedBytesMax } from './trusted.ts'

/** Muster's own, and the configuration of test runners, linters and type checkers. */
const ALWAYS = [
  'muster.yaml',
  'muster.rules.json',
  'test-activity-rules.json',
  '.muster/agents/**',
  '.claude/agents/**',
  '**/{vitest,vite,jest,playwright,cypress,babel}.config.*',
  '**/vitest.{setup,workspace}.*',
  '**/jest.setup.*',
  '**/.mocharc*',
  '**/tsconfig*.json',
  '**/{.eslintrc*,eslint.config.*,.oxlintrc.json,biome.json,biome.jsonc,.prettierrc*,prettier.config.*}',
  '**/{pytest.ini,tox.ini,setup.cfg,conftest.py,mypy.ini,.flake8,ruff.toml,.ruff.toml,pyrightconfig.json}',
  '**/.golangci.*',
  '**/{clippy.toml,.clippy.toml}',
]

export interface Judging {
  /** Files in script position of the commands that judge. */
  files: readonly string[]
  /** Globs that the project lists. */
  listed: readonly string[]
  /** Whether package scripts judge. */
  scripts: boolean
}

/** Of the changed files, those that decide how work is judged. Of files with much else in them, only the part that does. */
export async function protectedPaths(
  { read }: Pick<Workspaces, 'read'>,
  { base, commit }: { base: string; commit: string },
  changed: readonly string[],
  { files, listed, scripts }: Judging,
): Promise<string[]> {
  const differs = async (path: string, part: (text: string) => string): Promise<boolean> => {
    if (!changed.includes(path)) return false
    const [before, after] = await Promise.all([base, commit].map((of) => read(of, path, trustedBytesMax)))
    return part(before ?? '') !== part(after ?? '')
  }
  const globs = picomatch([...ALWAYS, ...listed], { dot: true })
  const named = new Set(files)
  if (scripts && (await differs('package.json', scriptsIn))) named.add('package.json')
  if (await differs('pyproject.toml', toolsIn)) named.add('pyproject.toml')
  return changed.filter((path) => globs(path) || named.has(path))
}

function scriptsIn(text: string): string {
  try {
    return JSON.stringify((JSON.parse(text) as { scripts?: unknown }).scripts ?? null)
  } catch {
    return text
  }
}

/** The [tool.*] tables: what configures tests, types and lint. */
function toolsIn(text: string): string {
  return text
    .split(/^(?=\[)/m)
    .filter((part) => part.startsWith('[tool.'))
    .join('')
}
