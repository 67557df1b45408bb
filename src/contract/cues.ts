/**
 * Cues: what in a sentence speaks for which kind of task. Each cue has a weight and a reason that a person can read;
 * none decides alone. The rules are tables in cue-rules.ts, the words they know are lists in words.ts.
 */
import type { ContractType } from '../domain/contract/contract.ts'
import { QUESTIONS, ruleFor, ALSO, WORK, type Rule } from './cue-rules.ts'
import { isProse } from './files.ts'
import { factsOf, kindOfNouns, type Fact, type Facts } from './reading.ts'
import type { Sentence, Token } from './sentence.ts'
import { hasNoun, hasVerb, isVerb, nounsFrom } from './sentence.ts'
import { PLACES, PROSE_DETAILS, PROSE_NOUNS, PROSE_PLACES, PROSE_VERBS, REMOVALS, SYMPTOMS, TAGS } from './words.ts'

export interface Cue {
  kind: ContractType
  weight: number
  why: string
}

export function cuesOf(sentence: Sentence): Cue[] {
  const facts = factsOf(sentence)
  const tags = tagCues(sentence)
  const asked = cuesIn(QUESTIONS, facts)
  const work = [...cuesIn(WORK, facts), ...cuesIn(ALSO, facts)]
  // "Should we drop it?" is about an answer, whatever would be done then.
  const isQuestion = asked.some(({ kind, weight }) => kind === 'advisory' && weight > 2)
  if (isQuestion) return [...tags, ...asked, ...work.filter(({ kind }) => kind !== 'verifiable')]
  return [...tags, ...asked, ...work, ...placeCues(sentence), ...symptomCues(sentence, work)]
}

const OUTCOME: Record<ContractType, string> = { verifiable: 'code', advisory: 'an answer', skip: 'prose' }

function cuesIn(rules: readonly Rule[], facts: Facts): Cue[] {
  const { kind = null, weight = 0, told = '' } = ruleFor(rules, facts) ?? {}
  if (kind === null) return []
  const words = told.replace(/\{(\w+)\}/g, (_, fact: string) => facts[fact as Fact])
  return [{ kind, weight, why: told.startsWith('it ') ? words : `"${words}" produces ${OUTCOME[kind]}` }]
}

/** A tag is what the writer says the task is; a heading only what it is about. */
function tagCues({ tags }: Sentence): Cue[] {
  const weights = { advisory: 5, skip: 5, verifiable: 2 } as const
  return tags.flatMap(({ word, alone }): Cue[] => {
    const why = `it is tagged "${word}"`
    const said = (['advisory', 'skip', 'verifiable'] as const).find((kind) => hasNoun(TAGS[kind], word))
    if (alone && said !== undefined) return [{ kind: said, weight: weights[said], why }]
    const kind = kindOfNouns([{ word, kind: 'word' }])
    return kind === null ? [] : [{ kind, weight: 3, why }]
  })
}

/** What is wrong with prose, or is to be looked into or described, is no failure somebody must repair. */
function symptomCues({ lead, tokens }: Sentence, work: readonly Cue[]): Cue[] {
  const told = work.find(({ kind, weight }) => kind !== 'verifiable' && weight >= 4)
  if (told?.kind === 'advisory' || (told?.kind === 'skip' && hasVerb(PROSE_VERBS, lead?.word ?? ''))) return []
  const found = tokens.find((token, index) => {
    return token.kind === 'word' && SYMPTOMS.has(token.word) && !isProseWord(tokens[index + 1])
  })
  return found === undefined ? [] : [{ kind: 'verifiable', weight: 2, why: `"${found.word}" says what is wrong` }]
}

function isProseWord(token: Token | undefined): boolean {
  return token?.kind === 'word' && (hasNoun(PROSE_NOUNS, token.word) || hasNoun(PROSE_DETAILS, token.word))
}

/** "in the README", "to the docs": the change is made to prose. */
function placeCues({ tokens, at }: Sentence): Cue[] {
  for (const [index, { kind, word }] of tokens.entries()) {
    if (kind === 'name' && isProse(word)) return [{ kind: 'skip', weight: 4.5, why: `${word} is prose` }]
    const leads = word === 'from' ? hasVerb(REMOVALS, tokens[at]?.word ?? '') : PLACES.has(word)
    if (kind !== 'word' || !leads || (word === 'to' && isVerb(tokens[index + 1]))) continue
    const head = nounsFrom(tokens, index + 1).at(-1)
    if (head?.kind === 'word' && hasNoun(PROSE_PLACES, head.word)) {
      return [{ kind: 'skip', weight: 4.5, why: `"${word} … ${head.word}" is a place for prose` }]
    }
  }
  return []
}
