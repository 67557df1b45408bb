/** How a check ended, before it is judged. */
import type { ReportProblem, TestReport } from '../domain/verdict/test-report.ts'

/** How one execution of a check's command ended. */
export interface CheckEnd {
  exitCode: number | null
  signal: string | null
  timedOut: boolean
  /** Null if the command was not asked for a report; one that was asked for and not written is a problem. */
  report: TestReport | ReportProblem | null
  /** A runner that writes a report was asked for one: where there is none, it did not get as far as its tests. */
  asked?: boolean
  /** The end of what it printed: where no report says why nothing was loaded, this may. */
  output?: string
}
