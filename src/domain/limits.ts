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

/** Runs in a row that may die with Muster itself before the task is held: each one took a restart, so this is generous. */
export const interruptionsMax = 20

/** Attempts in a row that change nothing before a person is told. */
export const idleAttemptsMax = 3

export const configBytesMax = 1024 * 1024
export const configDepthMax = 32
/** What a role is told: it becomes part of every prompt. */
export const definitionBytesMax = 256 * 1024
/** Of what is wrong with a file, this much is told at once. */
export const problemsMax = 20
export const phasesMax = 100
export const planTasksMax = 10_000
export const titleCharsMax = 500
export const textCharsMax = 200_000
export const idCharsMax = 100

/** An agent that says nothing about its own time gets this. */
export const agentTimeoutMs = 30 * 60 * 1000
export const judgeTimeoutMs = 15 * 60 * 1000
export const checkerTimeoutMs = 10 * 60 * 1000
/** What one check may cost, where somebody can keep it. */
export const checkerBudgetUsd = 0.5
export const checkTimeoutMs = 10 * 60 * 1000
export const setupTimeoutMs = 30 * 60 * 1000
/** How long a service may take to be ready. */
export const serviceReadyMs = 60 * 1000
/** How much of the end of its log is told when it was not. */
export const serviceTailChars = 1000
export const deployTimeoutMs = 15 * 60 * 1000
export const postDeployTimeoutMs = 5 * 60 * 1000
/** Nobody may ask for more. */
export const timeoutMsMax = 30 * 24 * 60 * 60 * 1000
/** What may go is kept this long, unless muster.yaml says otherwise. */
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
/** Of what a judge's prompt tells it: earlier findings, names of changed files, the author's last words. */
export const promptFindingsMax = 20
export const promptFilesMax = 300
export const authorWordsCharsMax = 4000
/** A longer plan is sent back: nobody reads it, and it is part of every prompt. A command's output is looked at further than that. */
export const planCharsMax = 16_000
/** Of the versions of a plan, so many are shown with their task; each can be asked for. */
export const plansShownMax = 5
/** Of an agent program's output: no event is longer than this, nor an answer than that. */
export const eventLineCharsMax = 16 * 1024 * 1024
export const answerCharsMax = 200_000
/** An agent program that says nothing, while no tool runs, for this long has stalled. */
export const agentStallMs = 10 * 60 * 1000
/** One that has to start alone is waited for no longer than this. */
export const agentStartMs = 3 * 1000
/** One that has told its end may take this long to go. */
export const agentLingerMs = 60 * 1000
/** A larger file does not come into a result. Git would take hours for a huge one, and hosts refuse it anyway. */
export const resultFileBytesMax = 100 * 1024 * 1024
/** More new files than this are no result: a tool made them. Each that git keeps is synced, which takes milliseconds. */
export const resultFilesMax = 20_000
/** A program at its limit that does not say for how long waits this long, then twice that, up to the longest. */
export const limitBackoffMs = 60 * 1000
export const limitBackoffMsMax = 60 * 60 * 1000
/** No limit is believed to last longer: a weekly one, and a day. */
export const limitMsMax = 8 * 24 * 60 * 60 * 1000
/** A `muster run` waits this long for a limit to be over; for a longer one it ends. */
export const limitWaitMs = 6 * 60 * 60 * 1000
/** Of a run's output, what is looked at when it ends. */
export const outputChars = 20_000
/** And what goes into a finding. */
export const outputTailChars = 2000

/** A test report beyond these is refused before or while it is read: whoever writes a larger one wants something else. */
export const reportBytesMax = 32 * 1024 * 1024
export const reportTestsMax = 200_000
export const reportDepthMax = 100
export const testNameCharsMax = 500
export const testMessageCharsMax = 4000
/** How often a check runs on the same tree to tell a failure from a flake: the first red and what follows it. */
export const checkRunsMax = 3
/** Of the change and of a defect's report, what a judge's prompt holds. */
export const promptDiffCharsMax = 60_000
export const promptDefectBytesMax = 64 * 1024
/** Of the commands that a judge quotes, so many are run again, each for so long. */
export const replaysMax = 3
export const replayTimeoutMs = 2 * 60 * 1000
/** What a check's end gives the author to read: all findings together, one of them, the tests told in full, the names listed. */
export const excerptCharsMax = 6000
export const excerptFindingCharsMax = 800
export const excerptTestsMax = 5
export const excerptNamesMax = 20
/** Where errors are looked for in a log: so many lines from its beginning and from its end, so much of each. */
export const logLinesMax = 50_000
export const logLineCharsMax = 500

/** How often signals and waiting actions are looked at when no event says something changed. */
export const pollTickMs = 5000
export const notifyTriesMax = 5
export const notifyTimeoutMs = 10_000
/** What a notice may hold; the rest is to be looked up. */
export const noticeSubjectCharsMax = 200
export const noticeTextCharsMax = 2000
/** So many notices go out at once over one channel; then one at a time, so far apart. */
export const noticesBurstMax = 20
export const noticeGapMs = 3000
/** How often a forge is told how a gate stands before that is left. */
export const statusTriesMax = 3
/** How long an ending Muster waits for notices under way. */
export const notifyStopMs = 2000
/** How long a push under way is waited for when Muster ends. */
export const pushStopMs = 5_000
/** How long what is under way at a forge may take to come to its end, when Muster ends. */
export const forgeStopMs = 2000
/** What a program is told over MCP at once, and what it may say on one line. */
export const mcpAnswerCharsMax = 100_000
export const mcpReportCharsMax = 400_000
export const mcpLogCharsMax = 64_000
export const mcpLineCharsMax = 1024 * 1024
export const socketLineBytesMax = 16 * 1024 * 1024

/** How often a forge is asked about a pull request that nothing tells of: doubled while nothing changes, up to the longest. */
export const forgePollMs = 5000
export const forgePollMsMax = 2 * 60 * 1000
/** And a step of which only another try tells whether it comes further. */
export const forgeTryMsMax = 15 * 60 * 1000
/** How long checks that nobody has named are all green before there are believed to be no others. */
export const ciSteadyMs = 30 * 1000
/** Of the checks that a pull request waits for, so many are named, and so much of each name. */
export const checksNamedMax = 10
export const checkNameCharsMax = 100
/** A required check that has not begun so long after its commit came may never do so. */
export const ciSlowMs = 10 * 60 * 1000

/** Of a file that tells which tools a project has. */
export const factBytesMax = 1024 * 1024
