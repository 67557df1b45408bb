/**
 * What in a sentence speaks for which kind of task. Every cue has a weight and a reason a person can read; no cue
 * decides alone. The words themselves are in words.ts.
 */
import type { ContractType } from '../domain/contract/contract.ts'
import { isProse } from './files.ts'
import type { Sentence, Token } from './sentence.ts'
import { hasNoun, hasVerb, isVerb, nounsFrom, singular } from './sentence.ts'
import {
  ADVISORY_NOUNS,
  ADVISORY_VERBS,
  AGREED_NOUNS,
  AGREE_VERBS,
  ARTIFACTS,
  ASKING_WORDS,
  AUXILIARIES,
  CHANGE_VERBS,
  CODE_COMMENTS,
  CODE_PLACES,
  CODE_VERBS,
  DESIGN_PARTS,
  DETERMINERS,
  DOCUMENT_PARTS,
  FINITE_SYMPTOMS,
  FIND_OUT_VERBS,
  MAKE_VERBS,
  MODALS,
  NAME_PARTS,
  NEUTRAL_NOUNS,
  NOUN_OR_VERB,
  PAPERS,
  PRODUCT_PLANS,
  PRODUCT_PLURALS,
  PROSE_DETAILS,
  PROSE_NOUNS,
  PROSE_PLACES,
  PROSE_VERBS,
  QUESTION_WORDS,
  STOPS,
  SYMPTOMS,
  TAGS,
} from './words.ts'

export interface Cue {
  kind: ContractType
  weight: number
  why: string
}

export function cuesOf(sentence: Sentence): Cue[] {
  const tags = tagCues(sentence)
  const asked = questionCues(sentence)
  const work = workCues(sentence)
  // "Should we drop it?" is about an answer, whatever would be done then.
  const isQuestion = asked.some(({ kind, weight }) => kind === 'advisory' && weight > 2)
  if (isQuestion) return [...tags, ...asked, ...work.filter(({ kind }) => kind !== 'verifiable')]
  return [...tags, ...asked, ...work, ...placeCues(sentence), ...symptomCues(sentence, work)]
}

const OUTCOME: Record<ContractType, string> = { verifiable: 'code', advisory: 'knowledge', skip: 'prose' }

function endsIn(kind: ContractType, weight: number, words: string): Cue[] {
  return [{ kind, weight, why: `"${words}" ends in ${OUTCOME[kind]}` }]
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

function questionCues({ tokens, asks }: Sentence): Cue[] {
  const [first, second] = tokens
  if (first?.kind !== 'word') return []
  const { word } = first
  const asking = (weight: number, why = `it asks: "${word} …"`): Cue[] => [{ kind: 'advisory', weight, why }]
  if (word === 'how' && second?.word === 'to' && !asks) return endsIn('skip', 3, 'how to')
  const isCondition = word === 'when' && tokens.some((token) => token.word === ',')
  if (QUESTION_WORDS.has(word) && !isCondition) return asking(asks ? 4 : 3)
  // "Could you add …?" and "do some research" are orders.
  const isOrder = second?.word === 'you' || (MAKE_VERBS.has(word) && !/^(?:i|it|they|we)$/.test(second?.word ?? 'it'))
  if (AUXILIARIES.has(word) && second?.word !== 'not' && !isOrder) return asking(asks ? 4 : 2.5)
  if (asks && ASKING_WORDS.has(word)) return asking(3.5)
  return asks ? asking(1.5, 'it ends with a question mark') : []
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

/** What the leading verb does to its object or, without a verb, what the words name. */
function workCues(sentence: Sentence): Cue[] {
  const { lead, tokens, at } = sentence
  if (lead === undefined) return []
  const next = tokens[at + 1]
  const { word } = lead
  if (word === 'look' && /^(?:into|at)$/.test(next?.word ?? '')) return endsIn('advisory', 4, `look ${next?.word}`)
  if (next?.word === 'out' && hasVerb(FIND_OUT_VERBS, word)) return endsIn('advisory', 4, `${word} out`)
  if (!isVerb(lead) || (hasVerb(NOUN_OR_VERB, word) && isNameOfThing(sentence))) {
    const modal = tokens.slice(at + 1, at + 5).find((token) => token.kind === 'word' && MODALS.has(token.word))
    if (modal !== undefined) return [{ kind: 'verifiable', weight: 3, why: `it says what something ${modal.word} do` }]
    return nameCues(sentence)
  }
  if (hasVerb(COMMENT, word)) return endsIn(next?.word === 'out' ? 'verifiable' : 'skip', 3, `${word} …`)
  if (hasVerb(ADVISORY_VERBS, word)) return adviceCues(sentence)
  if (hasVerb(PROSE_VERBS, word)) return endsIn('skip', 4, `${word} …`)
  if (hasVerb(CODE_VERBS, word)) return endsIn('verifiable', 3, `${word} …`)
  return objectCues(sentence)
}

const COMMENT = new Set(['comment'])
const DOCUMENT = new Set(['document'])
const DESIGN = new Set(['design'])

/** "audit log", "review app", "document upload fails": the lead is half of a name. */
function isNameOfThing({ lead, tokens, at, object }: Sentence): boolean {
  const word = lead?.word ?? ''
  const next = tokens[at + 1]
  if (next === undefined || next.kind === 'break') return true
  if (next.kind === 'word' && (DETERMINERS.has(next.word) || QUESTION_WORDS.has(next.word))) return false
  if (hasVerb(COMMENT, word)) return next.word !== 'out'
  if (next.kind === 'word' && (STOPS.has(next.word) || SYMPTOMS.has(next.word))) return true
  if (FINITE_SYMPTOMS.has(tokens[at + 1 + object.length]?.word ?? '')) return true
  const [first] = object
  const parts = hasVerb(DOCUMENT, word) ? DOCUMENT_PARTS : hasVerb(DESIGN, word) ? DESIGN_PARTS : NAME_PARTS
  return first?.kind === 'word' && hasNoun(parts, first.word)
}

function adviceCues({ lead, tokens, at, object }: Sentence): Cue[] {
  const verb = lead?.word ?? ''
  const [first] = object
  const head = object.at(-1)
  const isPart = head?.kind === 'word' && hasNoun(ARTIFACTS, head.word)
  // "discuss button", "explore page": a part of the product that is called so.
  if (isPart && object.length === 1 && head === tokens[at + 1]) return endsIn('advisory', 1, `${verb} …`)
  if (verb === 'define' && head !== undefined && (isPart || isCodePlace(head))) {
    return endsIn('verifiable', 2, `define … ${head.word}`)
  }
  // "Survey results page": as likely a page as a survey.
  const isBare = first !== undefined && first === tokens[at + 1] && !DETERMINERS.has(first.word)
  const isOne = isPart && head.word === singular(head.word)
  if (isOne && isBare && hasVerb(NOUN_OR_VERB, verb) && !hasVerb(DESIGN, verb))
    return endsIn('advisory', 2, `${verb} …`)
  const second = tokens[at + 1]?.word === 'and' ? tokens[at + 2] : undefined
  if (second !== undefined && (hasVerb(CODE_VERBS, second.word) || hasVerb(CHANGE_VERBS, second.word))) {
    return [...endsIn('advisory', 4, `${verb} …`), ...endsIn('verifiable', 3, `${second.word} …`)]
  }
  return endsIn('advisory', 4, `${verb} …`)
}

/** A verb that takes its meaning from its object. */
function objectCues({ lead, tokens, at, object }: Sentence): Cue[] {
  const verb = lead?.word ?? ''
  const head = object.at(-1)
  const words = `${verb} … ${head?.word ?? ''}`
  const kind = kindOfNouns(object)
  if (kind === 'skip' || isCodeComment(object, tokens)) return endsIn('skip', 4, words)
  if (head?.kind === 'word' && hasNoun(PROSE_DETAILS, head.word) && !hasVerb(MAKE_VERBS, verb)) {
    return endsIn('skip', 3.5, words)
  }
  if (kind === 'advisory' && hasVerb(MAKE_VERBS, verb)) return endsIn('advisory', 4, words)
  if (kind === 'advisory' && hasNoun(PAPERS, head?.word ?? '')) return endsIn('skip', 4, words)
  if (hasVerb(AGREE_VERBS, verb) && hasNoun(AGREED_NOUNS, head?.word ?? '')) return endsIn('advisory', 4, words)
  const judged = tokens.slice(at + 1).find(({ word }) => word.endsWith('ed') && hasVerb(ADVISORY_VERBS, word))
  if (/^(?:get|have)$/.test(verb) && judged !== undefined) return endsIn('advisory', 4, `${verb} … ${judged.word}`)
  return hasVerb(CHANGE_VERBS, verb) ? endsIn('verifiable', 2, words) : []
}

function isCodeComment(object: readonly Token[], tokens: readonly Token[]): boolean {
  if (singular(object.at(-1)?.word ?? '') !== 'comment') return false
  const alone = tokens.length <= 2
  return alone || object.some(({ word }) => CODE_COMMENTS.has(word)) || tokens.some(isCodePlace)
}

function isCodePlace({ kind, word }: Token): boolean {
  return kind === 'name' || hasNoun(CODE_PLACES, word)
}

/** Without a verb the words name what is handed over; of two names joined by "and", the second may say it too. */
function nameCues({ tokens, at }: Sentence): Cue[] {
  const nouns = nounsFrom(tokens, at)
  const head = (of: readonly Token[]) => of.at(-1)?.word ?? ''
  if (isCodeComment(nouns, tokens.slice(2)) && nouns.length > 1) return endsIn('skip', 3.5, head(nouns))
  const kind = kindOfNouns(nouns)
  if (kind !== null) return endsIn(kind, 3.5, head(nouns))
  const end = at + nouns.length
  if (tokens[end]?.word !== 'and' || hasNoun(ARTIFACTS, head(nouns))) return []
  const joined = nounsFrom(tokens, end + 1)
  const other = kindOfNouns(joined)
  return other === null ? [] : endsIn(other, 2.5, head(joined))
}

/** The last noun says what a phrase is about; where it says nothing, the one before it does. */
function kindOfNouns(nouns: readonly Token[]): 'advisory' | 'skip' | null {
  const backwards = nouns.toReversed().filter(({ word }) => !/^(?:v|#)?[\d.]+$/.test(word))
  const head = singular(backwards[0]?.word ?? '')
  const said = (pattern: RegExp) => nouns.some(({ word }) => pattern.test(word))
  if (head === 'template' && said(/^(?:issue|pr|report|request)$/)) return 'skip'
  if (head === 'link' && said(/^(?:broken|dead)$/)) return 'skip'
  for (const { word, kind } of backwards) {
    if (kind === 'name') return isProse(word) ? 'skip' : null
    if (hasNoun(PROSE_NOUNS, word)) return 'skip'
    if (isAdvice(word) && !isProduct(word, nouns)) {
      // The template of a proposal is prose, and a review page is a page.
      if (head === 'template') return 'skip'
      return hasNoun(ARTIFACTS, head) && !hasNoun(PAPERS, head) ? null : 'advisory'
    }
    if (!hasNoun(NEUTRAL_NOUNS, word) && !word.endsWith('ed')) return null
  }
  return null
}

function isAdvice(word: string): boolean {
  return hasNoun(ADVISORY_NOUNS, word) || (word.endsWith('ing') && hasVerb(ADVISORY_VERBS, word))
}

function isProduct(word: string, nouns: readonly Token[]): boolean {
  return PRODUCT_PLURALS.has(word) || (word === 'plan' && nouns.some((noun) => PRODUCT_PLANS.has(noun.word)))
}

const PLACES = new Set(['across', 'in', 'into', 'of', 'on', 'to', 'within'])
const REMOVALS = new Set(['delete', 'drop', 'remove'])

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
