/** A project's rules about which files ask for which verification, once they are read and checked. */

export type E2eRule = 'immediate' | 'deferred' | 'skip'

/** What a file asks for; a field that is not there says nothing. */
export interface FileRule {
  unit?: boolean
  e2e?: E2eRule
  critics?: readonly string[]
}

/** Critics that are asked for by what a change touches as a whole. */
export interface WideRule {
  /** Globs of which one must be touched. */
  touches?: readonly string[]
  /** In how many folders there must be changes. */
  foldersMin?: number
  critics: readonly string[]
}

/** What added lines that fit a regular expression ask for. */
export interface CodeRule {
  pattern: string
  flags: string
  rule: FileRule
}

export interface Rules {
  /** The file they are from, as people would name it. */
  source: string
  /** For files that no pattern fits. */
  defaults: FileRule
  patterns: readonly { glob: string; rule: FileRule }[]
  wide: readonly WideRule[]
  /** Absent in what an older Muster stored. */
  code?: readonly CodeRule[]
  /** What the file says that is not used. */
  notices: readonly string[]
}

/** For a project without rules of its own. */
export const DEFAULT_RULES: Rules = {
  source: 'built in',
  defaults: {},
  patterns: [
    {
      glob: '**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs,vue,svelte,py,go,rs,java,kt,rb,php,cs,swift,c,cc,cpp,h}',
      rule: { unit: true },
    },
    { glob: '**/*.{tsx,jsx,vue,svelte,css,scss,html}', rule: { e2e: 'immediate' } },
    { glob: '**/{pages,routes,screens,views}/**', rule: { e2e: 'immediate' } },
    { glob: '**/*.{test,spec,stories,config}.*', rule: { unit: false, e2e: 'skip' } },
    { glob: '**/{test,tests,__tests__,e2e}/**', rule: { unit: false, e2e: 'skip' } },
  ],
  wide: [],
  notices: [],
}
