/**
 * What a sentence says about its task, as tables: of each, the first row that fits counts. A row has the kind of task and
 * how strongly it speaks for that; what must hold of the sentence; the words of it that do, as a person is told; and a
 * sentence that the row is for, against which a test holds it. To teach Muster a rule, add a row.
 *
 * A condition is a fact of reading.ts that must be there, or `fact=words`: CAPITALS name a list of words.ts, anything else is
 * the word itself, and `/` stands between several. Behind `!` it must not hold. `-` ends a table without a word.
 */
import type { ContractType } from '../domain/contract/contract.ts'
import { assert } from '../domain/errors.ts'
import type { Fact, Facts } from './reading.ts'
import { hasNoun, hasVerb } from './sentence.ts'
import * as lists from './words.ts'

export interface Rule {
  /** Null: it says nothing, and no row below it does. */
  kind: ContractType | null
  weight: number
  conditions: readonly Condition[]
  /** With facts in braces. */
  told: string
  example: string
}

interface Condition {
  fact: Fact
  /** Null: the fact is there, whatever it is. */
  among: { words: readonly string[]; lists: readonly ReadonlySet<string>[] } | null
  holds: boolean
}

/** Asked is what one wants to know; an order may look like a question. */
export const QUESTIONS = table(`
  skip       3   | first=how second=to !asks                               | how to                            | How to run it behind a proxy
  advisory   4   | first=QUESTION_WORDS !condition asks                    | it asks: "{first} …"              | Why is the search so slow?
  advisory   3   | first=QUESTION_WORDS !condition                         | it asks: "{first} …"              | Why the search is slow
  advisory   4   | first=AUXILIARIES !second=not !order asks               | it asks: "{first} …"              | Should we drop the old format?
  advisory   2.5 | first=AUXILIARIES !second=not !order                    | it asks: "{first} …"              | Can we move to another queue
  advisory   3.5 | first=ASKING_WORDS asks                                 | it asks: "{first} …"              | Any plans for offline mode?
  advisory   1.5 | first asks                                              | it ends with a question mark      | Question keep the v1 routes?
`)

/** What the leading verb does to its object or, without a verb, what the words name. */
export const WORK = table(`
  advisory   4   | verb=look next=into/at                                  | look {next}                       | Look into the failing webhook
  advisory   4   | verb=FIND_OUT_VERBS next=out                            | {verb} out                        | Find out who uses the v1 routes

  verifiable 3   | name modal                                              | it says what something {modal} do | The importer should accept empty rows
  skip       3.5 | name comment                                            | {head}                            | Outdated comments in parser.ts
  skip       3.5 | name kind=skip                                          | {head}                            | API documentation
  advisory   3.5 | name kind=advisory                                      | {head}                            | Migration strategy
  skip       2.5 | name joined=skip                                        | {other}                           | Offline maps and documentation
  advisory   2.5 | name joined=advisory                                    | {other}                           | Offline maps and feasibility study
  -              | name                                                    |                                   | Planet view

  verifiable 3   | verb=COMMENT next=out                                   | {verb} …                          | Comment out the dead branch
  skip       3   | verb=COMMENT                                            | {verb} …                          | Comment the parser

  advisory   1   | verb=ADVISORY_VERBS part alone                          | {verb} …                          | Discuss button
  verifiable 2   | verb=define place                                       | define … {head}                   | Define an endpoint for refunds
  advisory   2   | verb=ADVISORY_VERBS verb=NOUN_OR_VERB !verb=DESIGN bare | {verb} …                          | Interview scheduling page
  advisory   4   | verb=ADVISORY_VERBS                                     | {verb} …                          | Compare three queue libraries
  skip       4   | verb=PROSE_VERBS                                        | {verb} …                          | Reword the install instructions
  verifiable 3   | verb=CODE_VERBS                                         | {verb} …                          | Generate docs from the types

  skip       4   | kind=skip                                               | {verb} … {head}                   | Update the installation docs
  skip       4   | comment                                                 | {verb} … {head}                   | Add more comments to the code
  skip       3.5 | plain=PROSE_DETAILS !verb=MAKE_VERBS                    | {verb} … {head}                   | Add the missing word
  advisory   4   | kind=advisory verb=MAKE_VERBS                           | {verb} … {head}                   | Write a proposal for tenant isolation
  skip       4   | kind=advisory head=PAPERS                               | {verb} … {head}                   | Update the roadmap
  advisory   4   | verb=AGREE_VERBS head=AGREED_NOUNS                      | {verb} … {head}                   | Draft the policy for hotfixes
  advisory   4   | verb=get/have judged                                    | {verb} … {judged}                 | Have the payment code audited
  verifiable 2   | verb=CHANGE_VERBS                                       | {verb} … {head}                   | Fix it
`)

/** What is to be done once something is known: the same sentence asks for both. */
export const ALSO = table(`
  verifiable 3   | !name verb=ADVISORY_VERBS also=CODE_VERBS/CHANGE_VERBS  | {also} …                          | Investigate and fix the memory leak
`)

export function ruleFor(rules: readonly Rule[], facts: Facts): Rule | undefined {
  return rules.find(({ conditions }) => conditions.every((condition) => fits(condition, facts)))
}

function fits({ fact, among, holds }: Condition, facts: Facts): boolean {
  const value = facts[fact]
  if (among === null) return (value !== '') === holds
  const found = among.words.includes(value) || among.lists.some((list) => has(list, fact, value))
  return found === holds
}

/** Verbs and nouns are found in whatever form they stand there. */
function has(list: ReadonlySet<string>, fact: Fact, value: string): boolean {
  if (fact === 'verb' || fact === 'also') return hasVerb(list, value)
  return fact === 'head' || fact === 'plain' ? hasNoun(list, value) : list.has(value)
}

function table(text: string): Rule[] {
  return text.split('\n').flatMap((line): Rule[] => {
    if (line.trim() === '') return []
    const [says = '', when = '', told = '', example = ''] = line.split('|').map((cell) => cell.trim())
    const [kind, weight = 0] = says.split(/\s+/)
    const conditions = when.split(/\s+/).map(conditionIn)
    return [{ kind: kind === '-' ? null : (kind as ContractType), weight: Number(weight), conditions, told, example }]
  })
}

function conditionIn(text: string): Condition {
  const holds = !text.startsWith('!')
  const [fact = '', among] = text.replace('!', '').split('=')
  const all = among?.split('/') ?? []
  const isList = (name: string) => /^[A-Z]/.test(name)
  return {
    fact: fact as Fact,
    among:
      among === undefined
        ? null
        : { words: all.filter((name) => !isList(name)), lists: all.filter(isList).map(listOf) },
    holds,
  }
}

function listOf(name: string): ReadonlySet<string> {
  const list = (lists as Record<string, unknown>)[name]
  assert(list instanceof Set, `words.ts has the list ${name}`)
  return list
}
