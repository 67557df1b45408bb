/**
 * The words classification knows, each list with one meaning. Whole words only, in their plain form: sentence.ts finds
 * "documenting" under "document". To teach Muster a word, put it here; what follows from a word is a row of cue-rules.ts.
 */

const list = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Tasks that end in knowledge: nothing in the tree could show that they were done. */
export const ADVISORY_VERBS = list(`
  analyse analyze assess audit brainstorm choose compare consider debate decide define design determine diagnose
  discuss estimate evaluate examine explore gauge groom ideate identify interview investigate pitch plan ponder
  prioritise prioritize propose reassess reconsider recruit research rethink review revisit scope study survey think
  triage understand weigh
`)

/** Tasks that end in prose. */
export const PROSE_VERBS = list(`
  clarify describe document explain mention note proofread reword rephrase spellcheck
`)

/** Either a verb or the first half of a name: "review the module", "review app". */
export const NOUN_OR_VERB = list(`
  audit comment design document estimate interview link note plan report research review scope study survey
`)

/** Verbs whose object is code, whatever it is called. */
export const CODE_VERBS = list(`
  adapt allow automate avoid bind block build bump cache catch configure convert debug decrease deduplicate delegate
  deploy deprecate detect disable download drop emit enable encrypt ensure expose extract fetch filter format generate
  handle hide highlight hook ignore implement import increase inject inline install integrate invalidate load lock log
  merge migrate mock monitor normalise normalize optimise optimize override parse patch persist port prefetch preserve
  prevent preview process query queue redesign redirect reduce refactor register render replace reset resolve respect
  restore retry return revert rework route sanitise sanitize scroll serialise serialize serve skip sort split stop
  store stream strip support suppress swap switch throttle throw toggle track trigger unify unpin upgrade upload
  validate warn watch wire wrap
`)

/** Verbs that say nothing until their object does: "update the parser", "update the README". */
export const CHANGE_VERBS = list(`
  add adjust change clean cleanup complete copy correct create delete edit enhance evolve expand extend fix improve
  include introduce make modify move need provide publish refresh remove rename reorganise reorganize restructure
  revise rewrite set setup show simplify tidy update use write
`)

/** Verbs that bring forth a deliverable: "run an audit", "define a process", "write a proposal". */
export const MAKE_VERBS = list(`
  arrange collect come conduct create define develop do draft finalise finalize formulate gather get give have hold
  host make organise organize outline perform prep prepare present produce run schedule share start synthesise
  synthesize write
`)

/** Three of those in NOUN_OR_VERB that have rules of their own. */
export const COMMENT = list('comment')
export const DESIGN = list('design')
export const DOCUMENT = list('document')

/** What a task that ends in knowledge hands over. */
export const ADVISORY_NOUNS = list(`
  adr agenda alternative analysis assessment audit brainstorm brainstorming comparison concept conclusion debrief
  decision design discussion evaluation exploration feasibility feedback findings idea ideation insights interview
  investigation kickoff landscape learnings meeting mockup okr persona plan planning poll postmortem proposal question
  recommendation requirements research retro retrospective review rfc roadmap spike strategy study suggestion survey
  synthesis takeaway talk think thoughts tradeoff webinar wireframe workshop
`)

/** These name things people build, too, as soon as there are several of them: "subscription plans". */
export const PRODUCT_PLURALS = list(`
  designs discussions plans polls questions recommendations reviews suggestions surveys
`)

/** A plan of this kind is bought, drawn or executed, not thought about. */
export const PRODUCT_PLANS = list(`
  billing data execution flight floor free meal payment premium price pricing query subscription tariff training
  travel workout
`)

/** Thought on paper: to bring it forth is advice, to add or correct it is prose. */
export const PAPERS = list('adr document rfc roadmap')

/** What people agree on when somebody defines, drafts or outlines it. */
export const AGREED_NOUNS = list(`
  agenda approach criteria goal guideline kpi objective policy principle priority process report scope standard
  timeline
`)
export const AGREE_VERBS = list(`
  draft establish formulate outline prepare present share write
`)

/** What a task that ends in prose hands over, or what is wrong with prose. */
export const PROSE_NOUNS = list(`
  acknowledgements adopters appendix article badge blog blogpost caption changelog chapter cheatsheet clarification
  contributing copyright copywriting credits diagram doc docs docstring documentation example faq glossary grammar
  guidance guide guideline handbook howto instructions javadoc jsdoc licence license misspelling newsletter note
  paragraph phrasing playbook proofreading punctuation quickstart readme runbook screenshot sentence slides snippet
  spelling sponsors toc troubleshooting tsdoc tutorial typo vignette walkthrough whitepaper wiki wording
`)

/** Prose when somebody corrects them; by themselves they could be anything. */
export const PROSE_DETAILS = list(`
  content desc description document explanation link mention reference section title word
`)

/** Comments in code, told from comments that people post by what is said of them or where they stand. */
export const CODE_COMMENTS = list(`
  code doc explanatory header inline misleading more obsolete old outdated redundant some stale sufficient todo
  unnecessary
`)
export const CODE_PLACES = list(`
  class code codebase config configuration constant enum file function interface method module route schema script
  source struct type variable
`)

/** Where prose lives: a change "in the README" is a change of prose. */
export const PROSE_PLACES = list(`
  acknowledgements adopters authors changelog contributors credits doc docs documentation faq glossary guide handbook
  paragraph readme sentence tutorial wiki
`)

/** What stands before a place, and what takes something "from" it. */
export const PLACES = list('across in into of on to within')
export const REMOVALS = list('delete drop remove')

/** After a word that names prose or thought these add nothing: "docs update", "strategy process". */
export const NEUTRAL_NOUNS = list(`
  activity addition change cleanup correction detail document draft effort entry exercise file fix fixes formatting
  improvement info information initiative link methodology outline overhaul page part phase prep preparation process
  refresh report restructure result results revision rewrite round section session summary technique template text
  title tweak update version work
`)

/** What products consist of. */
export const ARTIFACTS = list(`
  api app badge banner bar board bot box button calendar card chart checker column command component count counter
  dashboard dialog editor endpoint entry event feature feed field flag form functionality generator graph grid history
  icon id job library limit list log logger logging modal mode model module notification number object page pane panel
  picker plugin popup queue record request scanner schema score screen sidebar star status storage store system tab
  table tag thread tier token tool toolbar trail tree type upload uploader url view viewer widget window
`)

/** Those of them that "review", "audit", "plan" or "research" is half of a name with, standing right behind it. */
export const NAME_PARTS = list(`
  app badge banner bar board bot box button calendar card chart column command count counter dashboard dialog editor entry
  event feed field form history icon id job limit list log logger logging mode modal model number page pane panel
  picker popup queue record score screen sidebar star status system tab table tag thread tier token toolbar trail tree
  upload view viewer widget window
`)

/** "Document" is a name before these; before other artifacts it is what one does to them. */
export const DOCUMENT_PARTS = list(`
  app editor generator id library list management model number object parser picker preview scanner search storage
  store title tree type upload uploader viewer
`)

/** What "design" is half of a name with; before other artifacts it is what one does to them. */
export const DESIGN_PARTS = list('canvas editor mode pattern studio system tab time token tool view')

/** Verbs that mean "learn" together with "out". */
export const FIND_OUT_VERBS = list('figure find work')

/** Somebody says what does not work, or what it does instead. */
export const SYMPTOMS = list(`
  break breaks broke broken bug bugs cannot cant crash crashed crashes crashing deadlock doesnt dont duplicated empty
  error errors exception exits fail failed failing fails failure failures flake flaky freezes hang hangs incorrect
  incorrectly invalid isnt leak leaking leaks loses misaligned missing not overflow panic panics race regression returns
  segfault slow stale stuck throws timeout timeouts unable undefined unexpected unresponsive unstable wont wrong
`)

/** Those of them that are verbs: what stands before one is its subject, whatever it looks like. */
export const FINITE_SYMPTOMS = list(
  'breaks cannot crashes doesnt exits fails freezes hangs isnt leaks panics returns throws wont',
)

/** Those of them that stand before what they are said of. */
export const ADJECTIVES = list(
  'broken duplicated empty flaky incorrect invalid missing slow stale unexpected unstable wrong',
)

/** What stands before a colon or in brackets, and what it says about the rest. */
export const TAGS: Readonly<Record<'advisory' | 'skip' | 'verifiable', ReadonlySet<string>>> = {
  advisory: list(`
    adr analyse analyze brainstorm discuss discussion evaluate explore idea investigate investigation meeting poll
    proposal question research review rfc spike strategy
  `),
  skip: list('article blog changelog doc docs documentation faq guide readme tutorial typo wiki'),
  verifiable: list(`
    bug bugfix enhancement feat feature fix fr hotfix perf refactor regression
  `),
}

export const QUESTION_WORDS = list('how hows what whats when where wheres which who whos why')
/** With a question mark at the end, these ask as well. */
export const ASKING_WORDS = list('any anybody anyone best curious possible thoughts wondering')
export const AUXILIARIES = list(`
  am are can could did do does has have is may might shall should was were will would
`)
export const MODALS = list('can could may might must shall should will')
export const DETERMINERS = list(`
  a all an and any both each every its my our some that the their these this those whether your
`)

/** Words an English sentence may begin with before it says what to do. */
export const FILLERS = list(`
  again also and as begin can continue could finally first further help i initial initially just let lets may maybe might
  must need needs now please quickly should start then to todo try us want we will would you
`)

/** Where the object of a verb ends. */
export const STOPS = list(`
  about across after against and are around as at be because been before between but by can could do does due during
  for from has have how if in instead into is it may must of off on onto or out over per should so than that through
  to under until upon using via was we were what when where whether which while who why will with within without you
`)

/** The commonest words of other languages, for a text in none of whose words there is any English. */
export const FOREIGN = list(`
  aber agregar ajouter auf aus bei com como con corriger dans das de del den der des die du ein eine einen el en es
  est et fehler fuer für hinzufügen il je la las le les los mit nao nicht nous não ou para pero por pour que qui sin
  sur um uma un una und une uno vom von wie wir zu zum zur è é
`)

/** Parts of an interface that people click and see: work on them wants end-to-end tests. */
export const INTERFACE_PARTS = list(`
  banner button carousel checkbox dialog dropdown footer form header layout login menu modal navbar navigation
  onboarding page panel popup screen sidebar signup slider spinner tab theme toast toggle toolbar tooltip widget wizard
`)

/** Names that too many files have to tell one from another. */
export const COMMON_NAMES = list('app code file index lib main new page src test web')

/** Verbs that files are named after. */
export const NAMING_VERBS = list(`
  audit cache comment design document filter log plan queue report review route store survey toggle upload
`)
