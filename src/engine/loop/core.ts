/** What most of the engine's work needs of it: its parts, and who writes. Whoever asks for no more imports no engine. */
import type { EngineParts } from './parts.ts'
import type { Transactor } from './transactor.ts'

export interface EngineCore {
  readonly parts: EngineParts
  readonly transactor: Transactor
}
