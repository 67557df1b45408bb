/** A sandbox that works on this machine. */
import type { SandboxKind } from '../domain/config.ts'
import type { Container } from './container.ts'

export interface Sandbox {
  kind: SandboxKind
  /** For people: what works, or what each better kind said when it was tried. */
  why: string
  /** The words before the command; between these two confine.ts adds what is particular to a run. */
  prefix: readonly string[]
  begin: readonly string[]
  /** Inside, abstract sockets of the machine cannot be reached although the network can. */
  scoped?: true
  /** Of a container: what is started instead of a prefix. */
  container?: Container
}
