/** Says why nobody else could verify a criterion, and suggests a wording that can be verified (S0.24, S0.25). */
import { isForMachine, isForPerson } from './criterion-form.ts'
import { splitCriteria } from './criterion-split.ts'

interface CriterionProblem {
  problem: string
  /** Nobody could verify it: a task with it is not created. Otherwise it is only told. */
  refused: boolean
  /** A pattern to write it anew by. */
  rewording: string
  /** `person`: no model may judge by it as it stands. */
  for: 'checker' | 'person'
}

const charsMax = 1000

const EXAMPLES = {
  works: 'say what is done and what is seen, such as: `npm test -- session` exits 0, or: GET /health returns 200',
  quality: 'name the check that shows it, such as: `npm run lint` exits 0, or the file and what it must contain',
  speed: 'give the number and how it is measured, such as: GET /orders answers within 200 ms (p95 of 100 requests)',
  looks: 'say what is seen where, such as: after the toggle is clicked, <html> has the class `dark`',
  errors: 'name the input and the answer, such as: an empty email answers 400 with `email is required`',
  short: 'write one whole sentence with what must be true, such as: src/session.ts exports `refresh`',
} as const
type Example = keyof typeof EXAMPLES

/** Phrases as whole words; a hyphen or space between words is the same, and a longer word with a hyphen is another word. */
function phrases(...some: readonly string[]): RegExp {
  return new RegExp(String.raw`(?<![\w-])(?:${alternatives(some)})(?![\w-])`, 'i')
}

/** Only as what the statement says: a fast path, or a toast once the upload is done, is something else. */
function predicates(...some: readonly string[]): RegExp {
  return new RegExp(String.raw`(?<![\w-])(?:${alternatives(some)})(?=\s+(?:and|enough|or|too)\b|\s*[.;!)]|\s*$)`, 'i')
}

const alternatives = (some: readonly string[]): string => some.map((one) => one.replaceAll(' ', '[- ]')).join('|')

/** What everybody reads differently, by what would make it clear. */
const VAGUE: readonly [RegExp, Example][] = [
  [predicates('fast', 'faster', 'efficient', 'quick', 'quickly'), 'speed'],
  [phrases('performant', 'good perform[a-z]+', 'performs? well', 'scales? well'), 'speed'],
  [
    phrases('gracefully', 'robust', 'robustly', '(?:handles?|handling) (?:all )?(?:errors|edge cases|failures)'),
    'errors',
  ],
  [phrases('looks? (?:clean|correct|fine|good|great|modern|nice|okay|right)'), 'looks'],
  [phrases('intuitive', 'user friendly', 'easy to use', 'beautiful', 'polished'), 'looks'],
  [phrases('code is (?:clean|fine|good)', 'best practices', 'clean code', 'high quality', 'maintainable'), 'quality'],
  [
    phrases('readable', 'idiomatic', 'appropriate', 'reasonable', 'well (?:documented|structured|tested|written)'),
    'quality',
  ],
  [phrases('(?:behaves?|functions?|runs?|works?) (?:correctly|fine|properly|reliably|smoothly|well)'), 'works'],
  [phrases('as (?:expected|intended|needed|required)', '(?:everything|it|this) (?:just )?works'), 'works'],
  [phrases('no (?:bugs|issues|problems|regressions)', 'etc', 'and so on', 'and more'), 'works'],
  [predicates('(?:is|are) (?:better|correct|done|fine|good|improved|okay)'), 'works'],
]

const TEMPLATES = [
  /<([a-z][a-z0-9 _-]{1,40})>/i,
  /\b(?:FIXME|TBD|TODO|XXX)\b/,
  /\blorem ipsum\b/i,
  /\[(?:describe|fill|insert|your)[^\]]{0,40}\](?!\()/i,
  /\{\{[^}]{0,100}\}\}/,
  /^\W*(?:acceptance )?criteri(?:on|a) ?\d*\W*$/i,
]
/** Elements people write about; a placeholder has another name. */
const HTML = new Set(
  `a b body br button code details dialog div em footer form h1 h2 h3 h4 h5 h6 head header hr html i iframe img input
   label li link main meta nav ol option p pre script section select span strong style summary svg table tbody td
   textarea th thead title tr ul video`.split(/\s+/),
)

const TO_THE_JUDGE = [
  /\b(?:disregard|forget|ignore)\b.{0,40}\b(?:above|all|earlier|instructions?|previous|prompt|rules)\b/i,
  /\b(?:answer|give|mark|output|reply|respond|say)\b.{0,30}\b(?:pass|passed|a verdict)\b/i,
  /\bverdict\s*:/i,
  /\byou (?:are|must|should)\b.{0,40}\b(?:approve|assistant|checker|judge|pass|validator)\b/i,
  /\b(?:do not|don't) (?:check|judge|run|test|verify)\b/i,
]

/** What a reader could check without asking: commands, code, numbers, paths, quoted words. */
const CONCRETE = [
  /`[^`]+`|"[^"]+"|“[^”]+”/,
  /\b\d+\b/,
  /\b(?:DELETE|GET|PATCH|POST|PUT)\s+\//,
  /\b[\w-]+\/[\w./-]+/,
  /\b[\w-]+\.(?:[cm]?[jt]sx?|css|go|html|json|md|py|rs|sh|sql|toml|vue|ya?ml)\b/,
]

/** Null when somebody who did not write the code could find out whether it is met. */
export function lintCriterion(text: string): CriterionProblem | null {
  const plain = text.trim()
  const say = (problem: string, example: Example, who: CriterionProblem['for'] = 'checker') => ({
    problem,
    refused: true,
    rewording: EXAMPLES[example],
    for: who,
  })
  if (!/[\p{L}\p{N}]/u.test(plain)) return say('it is empty', 'short', 'person')
  if (TO_THE_JUDGE.some((pattern) => pattern.test(plain))) {
    return say('it tells the judge what to answer instead of what must be true', 'works', 'person')
  }
  const template = templateIn(plain)
  if (template !== null) return say(`"${template}" is template text that was not filled in`, 'short', 'person')
  if (plain.length > charsMax) {
    return {
      ...say(`it has ${plain.length} characters; split it into criteria of at most ${charsMax}`, 'short'),
      refused: false,
    }
  }
  if (isForMachine(plain) || isForPerson(plain)) return null
  if (CONCRETE.some((pattern) => pattern.test(plain))) return null
  for (const [pattern, example] of VAGUE) {
    const word = pattern.exec(plain)?.[0]
    if (word !== undefined) return say(`"${word}" means something different to everyone`, example)
  }
  // Other scripts need fewer spaces to say something.
  const isShort = plain.split(/\s+/).length < 3 && /^[\p{Script=Latin}\p{P}\s]+$/u.test(plain)
  return isShort ? say('it is not a statement that is true or false', 'short') : null
}

/** What is wrong with acceptance criteria that are not to be taken as they are, in words for whoever wrote them. */
export function vagueCriteria(text: string): string[] {
  return splitCriteria(text).flatMap((statement) => {
    const found = lintCriterion(statement)
    const shown = statement.length > 80 ? `${statement.slice(0, 79)}…` : statement
    return found?.refused === true
      ? [`the acceptance criterion "${shown}" cannot be verified: ${found.problem}; ${found.rewording}`]
      : []
  })
}

/** What to do about it, for whoever is refused. */
export const VAGUE_HINT =
  'reword it. If only a person can judge it, say so, for example: the colours are approved by Design'

function templateIn(text: string): string | null {
  for (const pattern of TEMPLATES) {
    const [found, element = ''] = pattern.exec(text) ?? []
    if (found !== undefined && !HTML.has(element.toLowerCase())) return found
  }
  return null
}
