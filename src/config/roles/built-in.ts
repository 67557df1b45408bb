/** What every role that comes with Muster says of itself. */
import type { Duty } from '../../domain/role.ts'

export interface BuiltInRole {
  does: Duty
  /** Muster has it play no part by itself, so a project may have one of this name that does something else. */
  replaceable?: true
  description: string
  body: string
}
