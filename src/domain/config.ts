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
  /** False: it must run without network; without such a sandbox it does not run. */
  network: boolean
  /** Checks of a task of this role that lists none itself. */
  checks: readonly string[]
  /** Services that run beside it. Absent where there are none. */
  services?: readonly string[] | undefined
  /** muster.yaml does not name this role: the agent of that role plays it too, in a separate session. */
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

/** An agent program that Muster supports. */
export interface ProgramAgent extends AgentBase {
  runtime: ProgramName
  /** The program's name of the model; absent: the program's default. */
  model?: string | undefined
  /** More arguments for the program. */
  args: readonly string[]
  maxTurns?: number | undefined
  maxBudgetUsd?: number | undefined
  /** It is ended if it is silent this long while no tool runs. */
  stallMs: number
  /** Limits the tools of its role to these, if the program supports that. */
  tools?: readonly string[] | undefined
}

/** The tools that a judge may use: only for reading. With a shell it could write, whatever its instructions say. */
export const LOOKING_TOOLS: readonly string[] = ['Read', 'Grep', 'Glob']

/** An agent definition: instructions for a role, from a Markdown file with front matter or built in. */
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
  /** Changes of these paths must pass it. Absent: only tasks that ask for it must. */
  paths?: readonly string[]
  /** Services that run beside it. Absent where there are none. */
  services?: readonly string[] | undefined
}

/** A program that runs beside an agent or a check for as long as that does, such as a database. */
export interface ServiceConfig {
  /** Runs until it is ended. */
  run: string
  /** Repeated until it exits with 0; null: wait until something listens on its port. */
  ready: string | null
  /** Run before the service is ended. */
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

/** A command that changes the world outside (`deploy`), or checks that change (`postDeploy`). */
export interface DeployConfig {
  run: string
  env: readonly string[]
  timeoutMs: number
}

/** A key that ends so names the variable with a secret, whatever forge or channel it is for; null: there is none. */
interface WithSecrets {
  readonly [name: `${string}Env`]: string | null
}

/** The address, or the environment variable that holds it. */
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
 * Kinds of sandbox. bubblewrap and a container hide files and end all processes; a pid namespace only ends processes;
 * `sandbox-exec` (macOS, untested) only refuses files; `none` is a process group.
 */
export const SANDBOX_KINDS = ['bubblewrap', 'container', 'pid-namespace', 'sandbox-exec', 'none'] as const
export type SandboxKind = (typeof SANDBOX_KINDS)[number]

/** Only these hide files, so only in these an agent cannot reach Muster. */
export const keepsIn = (kind: SandboxKind): boolean => kind === 'bubblewrap' || kind === 'container'

/** In these nothing outlives its run. */
export const endsAll = (kind: SandboxKind): boolean => kind !== 'none' && kind !== 'sandbox-exec'

/** In the order in which Muster tries them. */
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
  /** The limits of one run. Undefined: no limits. */
  limits?: ChosenLimits | undefined
}

/** How long removable data is kept, in milliseconds; null: forever. */
export interface Retention {
  /** Folders of runs and superseded snapshots, counted from the end of their task. */
  runsMs: number | null
  /** Golden copies, counted from their last use. */
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
  /** How a task lands on its target: as a merge commit, or as one squashed commit. */
  landing: 'merge' | 'squash'
  /** Branches of tasks and stories stay when their work has landed. Absent in what an older Muster stored. */
  keepBranches?: boolean
  /** Push what lands on the user's own branches to their remote. Absent in what an older Muster stored. */
  push?: boolean
  limits: Limits
  setup: SetupConfig | null
  /** Untracked files of the project that every workspace gets. */
  copy: readonly string[]
  /** Globs of more files whose change needs a person. */
  protectedPaths: readonly string[]
  agents: Readonly<Record<string, RoleConfig>>
  /** Of the roles that the project's phases, plans and checkers may use. Absent in what an older Muster stored. */
  definitions?: Readonly<Record<string, AgentDefinition>>
  checks: Readonly<Record<string, CheckConfig>>
  /** What agents and checks may ask for by name. Absent where there are none. */
  services?: Readonly<Record<string, ServiceConfig>>
  /** Built-in checks that the project switched off although it has the tool. Absent where there are none. */
  checksOff?: readonly string[]
  /** Which files require which verification; null: the built-in rules. */
  rules: Rules | null
  contract: {
    /** Ask about every task that looks advisory, also outside of stories. */
    promptForAdvisory: boolean
  }
  /** Run by Ship after the story landed on its base; null: nothing to run. Absent in what an older Muster stored. */
  deploy?: DeployConfig | null
  /** Run after that, to check that the deployment works. */
  postDeploy?: DeployConfig | null
  notify: readonly NotifyConfig[]
  /** Absent in what an older Muster stored. */
  forge?: ForgeConfig
  sandbox: SandboxConfig
  /** Who may decide if agents run without a sandbox. Absent in what an older Muster stored. */
  decisions?: 'person' | 'scripted'
  retention: Retention
}
