/** A sentence as rules ask about it: facts with names, each the word that it is about, or empty where there is none. */
import { isProse } from './files.ts'
import type { Sentence, Token } from './sentence.ts'
import { hasNoun, hasVerb, isVerb, nounsFrom, singular } from './sentence.ts'
import {
  ADVISORY_NOUNS,
  ADVISORY_VERBS,
  ARTIFACTS,
  CODE_COMMENTS,
  CODE_PLACES,
  COMMENT,
  DESIGN,
  DESIGN_PARTS,
  DETERMINERS,
  DOCUMENT,
  DOCUMENT_PARTS,
  FINITE_SYMPTOMS,
  MAKE_VERBS,
  MODALS,
  NAME_PARTS,
  NEUTRAL_NOUNS,
  NOUN_OR_VERB,
  PAPERS,
  PRODUCT_PLANS,
  PRODUCT_PLURALS,
  PROSE_NOUNS,
  QUESTION_WORDS,
  STOPS,
  SYMPTOMS,
} from './words.ts'

export type Facts = ReturnType<typeof factsOf>
export type Fact = keyof Facts

export function factsOf(sentence: Sentence) {
  const { tokens, lead, at } = sentence
  const name = lead !== undefined && isName(sentence)
  const nouns = name ? nounsFrom(tokens, at) : sentence.object
  return { ...askingFacts(sentence), ...leadFacts(sentence, name), ...nounFacts(sentence, nouns, name) }
}

const yes = (fact: boolean): string => (fact ? 'yes' : '')

function askingFacts({ tokens, asks }: Sentence) {
  const [start, second] = tokens
  const first = start?.kind === 'word' ? start.word : ''
  const isToMuster = second?.word === 'you'
  const isDone = MAKE_VERBS.has(first) && !/^(?:i|it|they|we)$/.test(second?.word ?? 'it')
  return {
    /** How the sentence begins, as it stands. */
    first,
    second: second?.word ?? '',
    /** It ends with a question mark. */
    asks: yes(asks),
    /** "When upload fails, warn the user" asks nothing. */
    condition: yes(first === 'when' && tokens.some(({ word }) => word === ',')),
    /** "Could you add …?" and "do some research" are orders. */
    order: yes(isToMuster || isDone),
  }
}

function leadFacts({ lead, tokens, at }: Sentence, name: boolean) {
  const behind = tokens.slice(at + 1)
  const next = behind[0]?.word ?? ''
  return {
    /** The leading word, which is a verb unless it is a name. */
    verb: lead?.word ?? '',
    next,
    /** The verb behind "and". */
    also: next === 'and' ? (behind[1]?.word ?? '') : '',
    /** The sentence names something and says nothing to do. */
    name: yes(name),
    modal: behind.slice(0, 4).find(({ kind, word }) => kind === 'word' && MODALS.has(word))?.word ?? '',
    /** "have … audited" */
    judged: behind.find(({ word }) => word.endsWith('ed') && hasVerb(ADVISORY_VERBS, word))?.word ?? '',
  }
}

/** Of what is named, or what something is done to. */
function nounFacts({ tokens, at }: Sentence, nouns: readonly Token[], name: boolean) {
  const head = nouns.at(-1) ?? NOTHING
  const joined = name && !hasNoun(ARTIFACTS, head.word) ? joinedTo(tokens, at + nouns.length) : []
  const isCode = name ? nouns.length > 1 && isCodeComment(nouns, tokens.slice(2)) : isCodeComment(nouns, tokens)
  return {
    head: head.word,
    /** The same, where it is a plain word and no quotation. */
    plain: head.kind === 'word' ? head.word : '',
    kind: kindOfNouns(nouns) ?? '',
    /** Of two names joined by "and", the second may say it too. */
    joined: kindOfNouns(joined) ?? '',
    other: joined.at(-1)?.word ?? '',
    comment: yes(isCode),
    ...partFacts(nouns, tokens[at + 1] ?? NOTHING),
  }
}

const NOTHING: Token = { word: '', kind: 'break' }

function joinedTo(tokens: readonly Token[], end: number): Token[] {
  return tokens[end]?.word === 'and' ? nounsFrom(tokens, end + 1) : []
}

/** Whether the nouns are about a part of the product. `behind`: what stands right behind the lead. */
function partFacts(nouns: readonly Token[], behind: Token) {
  const [first = NOTHING] = nouns
  const head = nouns.at(-1) ?? NOTHING
  const isPart = head.kind === 'word' && hasNoun(ARTIFACTS, head.word)
  const isOne = isPart && head.word === singular(head.word)
  return {
    part: yes(isPart),
    place: yes(isPart || isCodePlace(head)),
    /** "discuss button", "explore page": a part of the product that is called so. */
    alone: yes(nouns.length === 1 && head === behind),
    /** "Survey results page": as likely a page as a survey. */
    bare: yes(isOne && first === behind && !DETERMINERS.has(first.word)),
  }
}

function isName(sentence: Sentence): boolean {
  const { lead } = sentence
  return !isVerb(lead) || (hasVerb(NOUN_OR_VERB, lead?.word ?? '') && isHalfOfName(sentence))
}

/** "audit log", "review app", "document upload fails": the lead is half of a name. */
function isHalfOfName({ lead, tokens, at, object }: Sentence): boolean {
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

function isCodeComment(nouns: readonly Token[], tokens: readonly Token[]): boolean {
  if (singular(nouns.at(-1)?.word ?? '') !== 'comment') return false
  const alone = tokens.length <= 2
  return alone || nouns.some(({ word }) => CODE_COMMENTS.has(word)) || tokens.some(isCodePlace)
}

function isCodePlace({ kind, word }: Token): boolean {
  return kind === 'name' || hasNoun(CODE_PLACES, word)
}

/** The last noun says what a phrase is about; where it says nothing, the one before it does. */
export function kindOfNouns(nouns: readonly Token[]): 'advisory' | 'skip' | null {
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
