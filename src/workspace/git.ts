/**
 * The only place that runs git. Every call gets Muster's own configuration: no system or global settings, no hooks, no
 * file-system monitor, no prompts, no network. So nothing that a repository or an agent planted runs because Muster
 * looked at it.
 */
import { MusterError } from '../domain/errors.ts'
import { toolEnvironment } from '../process/environment.ts'
import { layersPrefix } from '../process/layers.ts'
import { runToEnd } from '../process/run.ts'

export interface GitOptions {
  /** The git directory to use; without it git finds one from `cwd`. */
  gitDir?: string
  /** The files. */
  workTree?: string
  /** They are those of a workspace that lies in layers: there only for a process of its own. Never asked of a folder that others write to. */
  layered?: boolean
  indexFile?: string
  cwd?: string
  stdin?: string
  /** Input and output byte for byte, a character each: for names of files, which need not be UTF-8 (names.ts). */
  bytes?: boolean
  env?: Record<string, string>
  /** Exit codes that are answers, not failures. */
  okCodes?: readonly number[]
  /** Ends it: its code is -1 then. */
  signal?: AbortSignal
}

export interface GitResult {
  code: number
  stdout: string
  stderr: string
}

const outputBytesMax = 256 * 1024 * 1024
const timeoutMs = 10 * 60 * 1000

const { PATH } = toolEnvironment()

const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.excludesFile=/dev/null',
  'core.attributesFile=/dev/null',
  'core.quotePath=false',
  'core.alternateRefsCommand=true',
  // What the store names must be there after a power cut: by default git syncs objects, but no refs.
  'core.fsync=committed,loose-object,reference',
  'gc.auto=0',
  'maintenance.auto=false',
  'receive.autogc=false',
  'advice.addEmbeddedRepo=false',
  'safe.directory=*',
].flatMap((setting) => ['-c', setting])

export async function git(args: readonly string[], options: GitOptions = {}): Promise<GitResult> {
  const where = [
    ...(options.gitDir === undefined ? [] : [`--git-dir=${options.gitDir}`]),
    ...(options.workTree === undefined ? [] : [`--work-tree=${options.workTree}`]),
  ]
  const layers = options.workTree !== undefined && options.layered === true ? layersPrefix(options.workTree) : []
  const encoding = options.bytes === true ? 'latin1' : 'utf8'
  const ended = await runToEnd({
    command: [...layers, 'git', ...where, ...SETTINGS, ...args],
    cwd: options.cwd ?? options.workTree ?? options.gitDir ?? '/',
    env: {
      PATH,
      LC_ALL: 'C',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_ATTR_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      GIT_ALLOW_PROTOCOL: 'file',
      GIT_NO_LAZY_FETCH: '1',
      GIT_NO_REPLACE_OBJECTS: '1',
      ...(options.indexFile === undefined ? {} : { GIT_INDEX_FILE: options.indexFile }),
      ...options.env,
    },
    ...(options.stdin === undefined ? {} : { stdin: Buffer.from(options.stdin, encoding) }),
    timeoutMs,
    maxOutputBytes: outputBytesMax,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  })
  const code = ended.code ?? -1
  const result = { code, stdout: ended.stdout.toString(encoding), stderr: Buffer.from(ended.stderr).toString(encoding) }
  if (code === 0 || options.okCodes?.includes(code)) return result
  throw gitError(args, code, ended.stderr, ended.timedOut)
}

/**
 * The other side of a fetch or push, as `--upload-pack` or `--receive-pack` takes it: git gives that side nothing of our
 * settings, and it works in the user's repository, where hooks are.
 */
export function otherSide(program: 'upload-pack' | 'receive-pack', setting: string): string {
  return ['git', ...SETTINGS, '-c', setting, program].map((word) => `'${word}'`).join(' ')
}

/** A fetch from the user's repository. As one pack, which is there whole or not at all: a commit that is there has its files, too. */
export const FETCH = [
  '-c',
  'fetch.unpackLimit=1',
  'fetch',
  '--quiet',
  '--no-tags',
  '--no-write-fetch-head',
  '--no-recurse-submodules',
  '--update-shallow',
  `--upload-pack=${otherSide('upload-pack', 'uploadpack.allowAnySHA1InWant=true')}`,
]

/** The output of a git command without its last newline. */
export async function gitLine(args: readonly string[], options: GitOptions = {}): Promise<string> {
  return (await git(args, options)).stdout.trimEnd()
}

function gitError(args: readonly string[], code: number, stderr: string, timedOut: boolean): MusterError {
  const said = stderr.trim().split('\n').slice(-5).join('\n') || (timedOut ? 'it took too long' : 'it said nothing')
  if (/No space left on device/.test(said)) {
    return new MusterError('storage', `git ${args[0]} failed because the disk is full`, {
      hint: 'free some space and start again; no work is lost',
    })
  }
  return new MusterError('git', `git ${args[0]} failed (${code}): ${said}`, {
    hint: 'muster doctor checks the repository and the mirror',
  })
}
