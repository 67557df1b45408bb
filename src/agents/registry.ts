/**
 * The agent programs that Muster knows: the only place that names them. A new one is a folder beside this file, whose
 * adapter is one line here. Nothing here starts a process, so that whoever reads muster.yaml may look.
 */
import { claude } from './claude/adapter.ts'
import { codex } from './codex/adapter.ts'
import type { AgentAdapter } from './stream/adapter.ts'

/** In the order in which people are told of them; the first is the example. */
export const PROGRAMS: readonly AgentAdapter[] = [claude, codex]
