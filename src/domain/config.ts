/**
 * A project's configuration after it was read and checked. A task runs under it and stores it by hash when it is
 * created.
 */
import type { Limits } from './limits.ts'
import type { NoticeKind } from './notice.ts'
import type { PhaseMap } from './task/phase-map.ts'
import type { Rules } from './contract/rules.ts'
import type { ChosenLimits } from './run-limits.ts'
import type { Duty } from './role.ts'

interface AgentBase {
  /** Names of environment variables passed on from the user's environment. */
  env: readonly string[]
  timeoutMs: number
  /** False: it runs without network, or not at all. */
  network: boolean
  /** Checks of a task of this role that lists none itself. */
  checks: readonly string[]
  /** Services that run beside it. Absent where there are none. */
  services?: readonly string[] | undefined
  /** muster.yaml does not name it: what plays this other role plays it too, in a session of its own. */
  like?: string | undefined
}

/** The runtime that is no program Muster knows: any command. */
export const COMMAND = 'command'

/** Any program. */
export interface CommandAgent extends AgentBase {
  runtime: typeof COMMAND
  /** A shell command. */
  run: string
  verdict: 'file' | 'exit'
}

/** The programs by their names. Each adds its own in its folder (`declare module`), so that a slip is an error of types. */
export interface ProgramNames {}
export type ProgramName = keyof ProgramNames

/** A program that Muster knows how to start and to understand. */
export interface ProgramAgent extends AgentBase {
  runtime: ProgramName
  /** As the program calls it; its own choice if not given. */
  model?: string | undefined
  /** More arguments for the program. */
  args: readonly string[]
  maxTurns?: number | undefined
  maxBudgetUsd?: number | undefined
  /** Silence for this long, while no tool runs, ends it. */
  stallMs: number
  /** Of the tools that its role may use only these, where the program can be told so. */
  tools?: readonly string[] | undefined
}

/** What a judge may use at most: it looks and nothing else. A shell would let it write, whatever it is told. */
export const LOOKING_TOOLS: readonly string[] = ['Read', 'Grep', 'Glob']

/** Who plays a role: what it is told beside the task, from a Markdown file with front matter or built in. */
export interface AgentDefinition {
  name: string
  description: string
  /** As Claude Code names them; null: what its role allows. */
  tools: readonly string[] | null
  model: string | null
  body: string
  /** The file it is from, relative to the project, or `built in`. */
  source: string
}

/** The source of definitions that come with Muster. */
export const BUILT_IN = 'built in'

/** How to start a role's agent. */
export type AgentConfig = CommandAgent | ProgramAgent

/** A role of the project: what it does, and who plays it. */
export type RoleConfig = AgentConfig & { does: Duty }

/** A command Muster runs itself; passing is exit 0. */
export interface CheckConfig {
  run: string
  /** Where in the checkout it runs; empty: at the top. */
  cwd: string
  /** Where in the checkout it leaves a report; null: Muster asks known runners for one itself. */
  report: string | null
  /** Of checks with the same word only one runs at a time. */
  exclusive: string | null
  env: readonly string[]
  timeoutMs: number
  network: boolean
  /** Which changes concern it; every change that does must pass it. Absent: any, and only tasks that ask for it. */
  paths?: readonly string[]
  /** Services that run beside it. Absent where there are none. */
  services?: readonly string[] | undefined
}

/** A program that runs beside an agent or a check for as long as that does, such as a database. */
export interface ServiceConfig {
  /** Runs until it is ended. */
  run: string
  /** Tried until it exits with 0; null: until something listens on its port. */
  ready: string | null
  /** Run before it is ended. */
  stop: string | null
  env: readonly string[]
  /** How long it may take to be ready. */
  timeoutMs: number
}

/** What makes a clean checkout ready for work, such as installing its packages. */
export interface SetupConfig {
  run: string
  env: readonly string[]
  timeoutMs: number
  /** Files beside the lock files that it depends on. */
  files: readonly string[]
}

/** A command that acts on the world outside, or looks at what another one did to it. */
export interface DeployConfig {
  run: string
  env: readonly string[]
  timeoutMs: number
}

/** A key that ends so names the variable with a secret, whatever forge or channel it is for; null: there is none. */
interface WithSecrets {
  readonly [name: `${string}Env`]: string | null
}

/** Where to: the address itself, or the environment variable that holds it. */
export type NotifyUrl = string | { urlEnv: string }

/** Where notices go beside the log, and which. */
export interface NotifyConfig extends WithSecrets {
  /** One of src/channels/registry.ts. */
  type: string
  on: readonly NoticeKind[]
  /** Absent: it needs no address. */
  url?: NotifyUrl
}

/**
 * What keeps a worker in: bubblewrap and a container hide and end, a pid namespace ends, `sandbox-exec` (macOS, untested)
 * refuses files, `none` is a process group.
 */
export const SANDBOX_KINDS = ['bubblewrap', 'container', 'pid-namespace', 'sandbox-exec', 'none'] as const
export type SandboxKind = (typeof SANDBOX_KINDS)[number]

/** Only these hide anything, so only in these an agent cannot get at Muster. */
export const keepsIn = (kind: SandboxKind): boolean => kind === 'bubblewrap' || kind === 'container'

/** In these nothing outlives its run. */
export const endsAll = (kind: SandboxKind): boolean => kind !== 'none' && kind !== 'sandbox-exec'

/** In the order in which they are looked for. */
export const CONTAINER_RUNTIMES = ['podman', 'docker'] as const
export type ContainerRuntime = (typeof CONTAINER_RUNTIMES)[number]

export const SANDBOX_MODES = ['auto', 'off', 'require', 'container', 'sandbox-exec'] as const

export interface SandboxConfig {
  /** `auto`: the best this machine has. `require`: bubblewrap or nothing. The others: that kind or nothing. */
  mode: (typeof SANDBOX_MODES)[number]
  /** Of containers, and only of them. */
  image?: string | undefined
  /** Undefined: the first that works. */
  runtime?: ContainerRuntime | undefined
  /** Paths below the user's home that agents see and may write, beside their program's own account; the rest is hidden. */
  home: readonly string[]
  /** Folders below the home that are kept between runs, in Muster's data. Undefined: nobody said; authors have some. */
  caches?: readonly string[] | undefined
  /** What one run may use of the machine. Undefined: as much as it likes. */
  limits?: ChosenLimits | undefined
}

/** How long what may go is kept, in milliseconds; null for ever. */
export interface Retention {
  /** Folders of runs, and snapshots that a later one took the place of, from the end of their task on. */
  runsMs: number | null
  /** Golden copies, from their last use on. */
  goldenMs: number | null
}

/** Where package managers keep what they downloaded. */
export const AUTHORS_CACHES: readonly string[] = ['.npm', '.cache']

/** Where pull requests are: one of src/forge/registry.ts, with keys of its own. */
export interface ForgeConfig extends WithSecrets {
  type: string
}

export interface ProjectConfig {
  base: string
  protected: readonly string[]
  phases: PhaseMap
  /** How a task comes onto its target: as a merge commit, or as one commit of its own. */
  landing: 'merge' | 'squash'
  /** Branches of tasks and stories stay when their work has landed. Absent in what an older Muster stored. */
  keepBranches?: boolean
  /** What lands on a branch of the user's is pushed to its remote. Absent in what an older Muster stored. */
  push?: boolean
  limits: Limits
  setup: SetupConfig | null
  /** Untracked files of the project that every workspace gets. */
  copy: readonly string[]
  /** Globs of files whose change needs a person, beside those that always do. */
  protectedPaths: readonly string[]
  agents: Readonly<Record<string, RoleConfig>>
  /** Of the roles that the project's phases, plans and checkers may use. Absent in what an older Muster stored. */
  definitions?: Readonly<Record<string, AgentDefinition>>
  checks: Readonly<Record<string, CheckConfig>>
  /** What agents and checks may ask for by name. Absent where there are none. */
  services?: Readonly<Record<string, ServiceConfig>>
  /** Checks that the project wants none of, although it has the tool. Absent where there are none. */
  checksOff?: readonly string[]
  /** Which files ask for which verification; null: the built-in rules. */
  rules: Rules | null
  contract: {
    /** Ask about every task that looks advisory, also outside of stories. */
    promptForAdvisory: boolean
  }
  /** Run by Ship once the story is on its base; null: landing there is all. Absent in what an older Muster stored. */
  deploy?: DeployConfig | null
  /** Run after that, to see whether what was deployed works. */
  postDeploy?: DeployConfig | null
  notify: readonly NotifyConfig[]
  /** Absent in what an older Muster stored. */
  forge?: ForgeConfig
  sandbox: SandboxConfig
  /** Who may decide where agents are not kept in. Absent in what an older Muster stored. */
  decisions?: 'person' | 'scripted'
  retention: Retention
}
