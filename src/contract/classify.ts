/**
 * Which kind of contract a task's text asks for. Cues are collected for all three kinds and the strongest kind wins;
 * where two are close the answer is `verifiable`, and ambiguous (D-17). The class is a claim: the diff confirms it after
 * the work (confirm.ts).
 */
import type { ContractType } from '../domain/contract/contract.ts'
import type { Cue } from './cues.ts'
import { cuesOf } from './cues.ts'
import { isProse } from './files.ts'
import { isEnglish } from './language.ts'
import { readSentence } from './sentence.ts'

export interface Classification {
  type: ContractType
  /** Two kinds are about equally likely; a person should be asked. */
  ambiguous: boolean
  /** The other kind it could be, if it is ambiguous. */
  couldBe: ContractType | null
  /** One line, for people. */
  why: string
  scores: Readonly<Record<ContractType, number>>
  cues: readonly Cue[]
  /** What people should know about how the text was read. */
  notices: readonly string[]
}

/** Without any cue a task is verifiable. */
const prior = 1.5
/** Nearer than this, two kinds are equally likely. */
const margin = 1

export function classify(text: string, files: readonly string[] = []): Classification {
  if (isEnglish(text)) return withFiles(weigh(cuesOf(readSentence(text))), files)
  const notice = 'only English is understood: a task in another language is taken as verifiable'
  return withFiles({ ...weigh([]), why: 'the language is not understood', notices: [notice] }, files)
}

/** A title that says nothing is read together with how the instructions begin; some say outright what may change. */
export function classifyTask(title: string, instructions: string, files: readonly string[]): Classification {
  const said = instructionCues(instructions)
  const [first = ''] = instructions.trim().split(/(?<=[.!?])\s|\n/)
  const isSilent = isEnglish(title) && cuesOf(readSentence(title)).length === 0
  if (said.length > 0 && isEnglish(title)) return withFiles(weigh([...cuesOf(readSentence(title)), ...said]), files)
  return classify(isSilent && first !== '' ? first : title, files)
}

const NO_CODE =
  /\b(?:do not|don't|without) (?:chang|edit|modify|touch)\w* (?:any |the )?(?:code|anything|files)\b(?! (?:beside|beyond|except|in|of|other|outside|that|under|which))|\bno code changes\b/i
const PROSE_ONLY = /\b(?:docs|documentation|readme)[- ]only\b|\bonly (?:the )?(?:docs|documentation|readme)\b/i

function instructionCues(instructions: string): Cue[] {
  const text = instructions.slice(0, 5000)
  const cue = (kind: ContractType, pattern: RegExp): Cue[] => {
    const found = pattern.exec(text)?.[0]
    return found === undefined ? [] : [{ kind, weight: 3, why: `its instructions say "${found}"` }]
  }
  return [...cue('advisory', NO_CODE), ...cue('skip', PROSE_ONLY)]
}

function weigh(cues: readonly Cue[]): Classification {
  const scores = { verifiable: prior, skip: 0, advisory: 0 }
  for (const { kind, weight } of cues) scores[kind] += weight
  const kinds = ['verifiable', 'skip', 'advisory'] as const
  const [first = 'verifiable', second = 'skip'] = kinds.toSorted((a, b) => scores[b] - scores[a])
  const reason = (kind: ContractType) =>
    cues.filter((cue) => cue.kind === kind).toSorted((a, b) => b.weight - a.weight)[0]?.why ??
    'the default: no rule says otherwise'
  const ambiguous = scores[first] - scores[second] < margin && Math.max(scores.advisory, scores.skip) > prior
  const why = ambiguous ? `${first} (${reason(first)}) or ${second} (${reason(second)})` : reason(first)
  const couldBe = ambiguous ? (first === 'verifiable' ? second : first) : null
  return { type: ambiguous ? 'verifiable' : first, ambiguous, couldBe, why, scores, cues, notices: [] }
}

/** Files outrank words: work on a source file is never waved through, and prose alone needs no tests. */
function withFiles(read: Classification, files: readonly string[]): Classification {
  if (files.length === 0) return read
  const source = files.find((file) => !isProse(file))
  const type = source === undefined ? 'skip' : 'verifiable'
  const why = source === undefined ? 'only prose is expected to change' : `${source} is expected to change`
  if (type === read.type && !read.ambiguous) return read
  const overruled =
    read.ambiguous || read.type === 'verifiable' ? [] : [`its text alone says ${read.type}: ${read.why}`]
  // Whoever names files has said what kind of task it is.
  const notices = [...read.notices, ...overruled]
  return { ...read, type, why, ambiguous: read.type === 'advisory', couldBe: null, notices }
}
