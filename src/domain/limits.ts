/**
 * A limit on everything, named with its unit last. `Limits` are the ones a project may set in muster.yaml; the
 * constants are Muster's own.
 */

export interface Limits {
  /** Agents and checks that run at the same time. */
  maxWorkers: number
  /** A task that was sent back this often fails. */
  maxTaskRounds: number
  /** ERROR outcomes in a row at one phase before the task is held for a person. */
  maxErrorAttempts: number
  /** Validators that work at the same time. */
  maxValidators: number
  /** How often a validator may send a task back before it is held for a person. */
  maxValidationAttempts: number
  /** Runs that a checker gets to deliver its verdict. */
  maxCheckerAttempts: number
  /** What a story may cost, and all tasks without one on one day. */
  budgetUsd?: number | undefined
}

export const DEFAULT_LIMITS: Limits = {
  maxWorkers: 4,
  maxTaskRounds: 50,
  maxErrorAttempts: 3,
  maxValidators: 1,
  maxValidationAttempts: 1,
  maxCheckerAttempts: 1,
}

/** Runs in a row that may die with Muster before the task is held. Each one took a restart, so this is generous. */
export const interruptionsMax = 20

/** Attempts in a row that change nothing before Muster notifies a person. */
export const idleAttemptsMax = 3

export const configBytesMax = 1024 * 1024
export const configDepthMax = 32
/** The size of a definition, which is part of every prompt of its role. */
export const definitionBytesMax = 256 * 1024
/** Problems of a file that are shown at once. */
export const problemsMax = 20
export const phasesMax = 100
export const planTasksMax = 10_000
export const titleCharsMax = 500
export const textCharsMax = 200_000
export const idCharsMax = 100

/** The timeout of an agent that sets none. */
export const agentTimeoutMs = 30 * 60 * 1000
export const judgeTimeoutMs = 15 * 60 * 1000
export const checkerTimeoutMs = 10 * 60 * 1000
/** What one check by the checker may cost, if Muster can enforce that. */
export const checkerBudgetUsd = 0.5
export const checkTimeoutMs = 10 * 60 * 1000
export const setupTimeoutMs = 30 * 60 * 1000
/** How long a service may take to be ready. */
export const serviceReadyMs = 60 * 1000
/** How much of the end of its log is shown if it was not ready. */
export const serviceTailChars = 1000
export const deployTimeoutMs = 15 * 60 * 1000
export const postDeployTimeoutMs = 5 * 60 * 1000
/** The longest timeout that anybody may set. */
export const timeoutMsMax = 30 * 24 * 60 * 60 * 1000
/** How long removable data is kept, unless muster.yaml sets another time. */
export const keepRunsMs = 30 * 24 * 60 * 60 * 1000
export const keepGoldenMs = 14 * 24 * 60 * 60 * 1000
export const keepMsMax = 3650 * 24 * 60 * 60 * 1000
/** Between SIGTERM and SIGKILL. */
export const killGraceMs = 5000
/** How long inherited pipes may stay open after the process itself has ended. */
export const drainMs = 250

/** A run's log keeps its first bytes and its last ones. */
export const logHeadBytes = 4 * 1024 * 1024
export const logTailBytes = 2 * 1024 * 1024
export const lastLineCharsMax = 400
export const verdictBytesMax = 256 * 1024
export const findingsMax = 100
export const findingCharsMax = 8000
/** Limits of a judge's prompt: earlier findings, names of changed files, the author's last words. */
export const promptFindingsMax = 20
export const promptFilesMax = 300
export const authorWordsCharsMax = 4000
/** A longer plan is sent back: nobody reads it, and it is part of every prompt. More of a command's output is searched. */
export const planCharsMax = 16_000
/** Versions of a plan that are shown with their task; all of them can be requested. */
export const plansShownMax = 5
/** The longest event, and the longest answer, in an agent program's output. */
export const eventLineCharsMax = 16 * 1024 * 1024
export const answerCharsMax = 200_000
/** An agent program has stalled if it prints nothing for this long while no tool runs. */
export const agentStallMs = 10 * 60 * 1000
/** How long others wait for a program that must start alone. */
export const agentStartMs = 3 * 1000
/** How long a program may take to exit after its final event. */
export const agentLingerMs = 60 * 1000
/** The largest file in a result. Git would take hours for a huge one, and hosts refuse it anyway. */
export const resultFileBytesMax = 100 * 1024 * 1024
/** The most new files of a result; a tool made more than this. Git syncs each of them, which takes milliseconds. */
export const resultFilesMax = 20_000
/** The wait of a rate-limited program that does not say until when: doubled each time, up to the maximum. */
export const limitBackoffMs = 60 * 1000
export const limitBackoffMsMax = 60 * 60 * 1000
/** The longest rate limit that Muster believes: a week and a day. */
export const limitMsMax = 8 * 24 * 60 * 60 * 1000
/** How long `muster run` waits for a rate limit to reset; it ends if that takes longer. */
export const limitWaitMs = 6 * 60 * 60 * 1000
/** How much of a run's output is read when it ends. */
export const outputChars = 20_000
/** The length of a finding. */
export const outputTailChars = 2000

/** A test report beyond these limits is refused before or while it is read. */
export const reportBytesMax = 32 * 1024 * 1024
export const reportTestsMax = 200_000
export const reportDepthMax = 100
export const testNameCharsMax = 500
export const testMessageCharsMax = 4000
/** How often a failed check runs on the same tree in all, to tell a failure from a flake. */
export const checkRunsMax = 3
/** How much of the change, and of a defect's report, is in a judge's prompt. */
export const promptDiffCharsMax = 60_000
export const promptDefectBytesMax = 64 * 1024
/** How many of the commands that a judge quotes are repeated, and for how long each. */
export const replaysMax = 3
export const replayTimeoutMs = 2 * 60 * 1000
/** The findings of a check for its author: all together, one of them, tests with messages, names in lists. */
export const excerptCharsMax = 6000
export const excerptFindingCharsMax = 800
export const excerptTestsMax = 5
export const excerptNamesMax = 20
/** The part of a log that is searched for errors: lines at its start and end, and characters of each. */
export const logLinesMax = 50_000
export const logLineCharsMax = 500

/** How often signals and waiting actions are polled without an event. */
export const pollTickMs = 5000
export const notifyTriesMax = 5
export const notifyTimeoutMs = 10_000
/** The length of a notice. */
export const noticeSubjectCharsMax = 200
export const noticeTextCharsMax = 2000
/** Notices that one channel sends at once; after that, one at a time with this pause. */
export const noticesBurstMax = 20
export const noticeGapMs = 3000
/** Tries to send the status of a gate to a forge. */
export const statusTriesMax = 3
/** How long an ending Muster waits for notices under way. */
export const notifyStopMs = 2000
/** How long a push under way is waited for when Muster ends. */
export const pushStopMs = 5_000
/** How long an ending Muster waits for calls to a forge. */
export const forgeStopMs = 2000
/** Limits of MCP: the length of an answer, and of a line from a program. */
export const mcpAnswerCharsMax = 100_000
export const mcpReportCharsMax = 400_000
export const mcpLogCharsMax = 64_000
export const mcpLineCharsMax = 1024 * 1024
export const socketLineBytesMax = 16 * 1024 * 1024

/** How often a forge is polled about a pull request without an event: doubled while nothing changes, up to the maximum. */
export const forgePollMs = 5000
export const forgePollMsMax = 2 * 60 * 1000
/** The same for a step whose progress only another try can show. */
export const forgeTryMsMax = 15 * 60 * 1000
/** How long all checks must stay passed before Muster believes that there are no others, if none are named. */
export const ciSteadyMs = 30 * 1000
/** How many checks of a pull request a message names, and how much of each name. */
export const checksNamedMax = 10
export const checkNameCharsMax = 100
/** A required check that has not started this long after its commit may never start. */
export const ciSlowMs = 10 * 60 * 1000

/** The size of a file that is read to find a project's tools. */
export const factBytesMax = 1024 * 1024
