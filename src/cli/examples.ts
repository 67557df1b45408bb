/**
 * What `--help` says beside the words and options of program.ts: the group a command is listed in, two examples of it,
 * and the page of the documentation that goes on from there.
 */

type Group = 'Start' | 'Work' | 'Look' | 'Decide' | 'Stories' | 'Keep house' | 'Connect'

interface CommandHelp {
  group: Group
  /** What to type, and what it does. */
  examples: readonly (readonly [string, string])[]
  /** A topic of `muster help`. */
  see: string
}

export const COMMAND_HELP: Readonly<Record<string, CommandHelp>> = {
  init: {
    group: 'Start',
    examples: [
      ['muster init', 'look around, try the checks, write muster.yaml'],
      ['muster init --agent ./agent.sh --no-try', 'with a command of your own, trying nothing'],
    ],
    see: 'configuration',
  },
  doctor: {
    group: 'Start',
    examples: [
      ['muster doctor', 'say what is missing'],
      ['muster doctor --repair', 'mend what can be mended'],
    ],
    see: 'configuration',
  },
  demo: {
    group: 'Start',
    examples: [
      ['muster demo', 'on the board, until Ctrl-C'],
      ['muster demo --terminal', 'in the terminal'],
    ],
    see: 'board',
  },
  help: {
    group: 'Start',
    examples: [
      ['muster help run', 'the options of a command'],
      ['muster help checks', 'a page of the documentation'],
    ],
    see: 'commands',
  },
  run: {
    group: 'Work',
    examples: [
      ['muster run plan.yaml --dry-run', 'what would happen, and what it may cost'],
      ['muster run "Add a /health endpoint" --checks unit-test', 'one sentence is a plan of one task'],
    ],
    see: 'plans',
  },
  add: {
    group: 'Work',
    examples: [
      ['muster add "Fix the login form" --checks unit-test', 'a task for the base branch'],
      ['muster add --from task.md --story shop', 'from a file, for a story'],
    ],
    see: 'plans',
  },
  import: {
    group: 'Work',
    examples: [
      ['muster import plan.yaml --dry-run', 'a plan of another orchestrator'],
      ['muster import --label bug --story "Fix the bugs"', 'issues of the forge, as one story'],
    ],
    see: 'plans',
  },
  serve: {
    group: 'Work',
    examples: [
      ['muster serve', 'work on everything open, with a board in the browser'],
      ['muster serve --port 0 --json', 'on a free port; one line of JSON tells which'],
    ],
    see: 'board',
  },
  pause: {
    group: 'Work',
    examples: [
      ['muster pause', 'what runs ends, nothing new starts'],
      ['muster pause --json', 'the same, for a script'],
    ],
    see: 'commands',
  },
  resume: {
    group: 'Work',
    examples: [
      ['muster resume', 'after muster pause'],
      ['muster resume --json', 'the same, for a script'],
    ],
    see: 'commands',
  },
  status: {
    group: 'Look',
    examples: [
      ['muster status', 'stories, and what is open'],
      ['muster status --story shop --all', 'one story, finished tasks too'],
    ],
    see: 'commands',
  },
  list: {
    group: 'Look',
    examples: [
      ['muster list --stage review,failed', 'what needs somebody'],
      ['muster list --story shop --json', 'the tasks of a story, for a script'],
    ],
    see: 'commands',
  },
  show: {
    group: 'Look',
    examples: [
      ['muster show shop-2', 'its contract with the evidence, its runs and findings'],
      ['muster show shop-2 --prompt', 'what its agent was told'],
    ],
    see: 'contracts',
  },
  explain: {
    group: 'Look',
    examples: [
      ['muster explain shop-2', 'why it is here, and what would move it'],
      ['muster explain shop-2 --json', 'the same, with its history'],
    ],
    see: 'phase-maps',
  },
  logs: {
    group: 'Look',
    examples: [
      ['muster logs shop-2 -f', 'as it is written'],
      ['muster logs shop-2 --raw', "an agent program's own stream"],
    ],
    see: 'agents',
  },
  diff: {
    group: 'Look',
    examples: [
      ['muster diff shop-2', 'what it changed'],
      ['muster diff shop-2 --stat', 'which files'],
    ],
    see: 'commands',
  },
  open: {
    group: 'Look',
    examples: [
      ['muster open shop-2', 'the folder it is worked on in'],
      ['muster open shop-2 --json', 'the same, for a script'],
    ],
    see: 'commands',
  },
  contract: {
    group: 'Look',
    examples: [
      ['muster contract shop-2', 'how a task will be judged'],
      ['muster contract --text "Add a /health endpoint" --explain', 'how a text would be, and why'],
    ],
    see: 'contracts',
  },
  advisory: {
    group: 'Look',
    examples: [
      ['muster advisory', 'questions, and their answers'],
      ['muster advisory --story shop', 'of one story'],
    ],
    see: 'contracts',
  },
  cost: {
    group: 'Look',
    examples: [
      ['muster cost', 'by day, story, role and program'],
      ['muster cost --story shop --json', 'of one story, for a script'],
    ],
    see: 'agents',
  },
  stats: {
    group: 'Look',
    examples: [
      ['muster stats', 'how often people overrule judges, and how many rounds work takes'],
      ['muster stats --story shop', 'of one story'],
    ],
    see: 'judges',
  },
  accept: {
    group: 'Decide',
    examples: [
      ['muster accept shop-2', 'a task that waits for you'],
      ['muster accept shop-2 --reason "the flaky test is known"', 'over what was found'],
    ],
    see: 'judges',
  },
  reject: {
    group: 'Decide',
    examples: [
      ['muster reject shop-2 -m "the form needs a label"', 'the agent reads it first in its next prompt'],
      ['muster reject shop-2 --comment "order.html:12: no label"', 'about one line'],
    ],
    see: 'judges',
  },
  approve: {
    group: 'Decide',
    examples: [
      ['muster approve task-3', 'it may land on the base'],
      ['muster approve task-3 -m "seen on the test machine"', 'with words for the history'],
    ],
    see: 'judges',
  },
  submit: {
    group: 'Decide',
    examples: [
      ['muster submit shop-2', 'the head of muster/task/shop-2 is its next attempt'],
      ['muster submit shop-2 my-branch', 'or the commit that you name'],
    ],
    see: 'commands',
  },
  retry: {
    group: 'Decide',
    examples: [
      ['muster retry shop-2', 'with its findings, and as many rounds more'],
      ['muster retry shop-2 --json', 'the same, for a script'],
    ],
    see: 'commands',
  },
  cancel: {
    group: 'Decide',
    examples: [
      ['muster cancel shop-2', 'its worker is stopped'],
      ['muster cancel shop-2 -m "not needed any more"', 'with the reason'],
    ],
    see: 'commands',
  },
  elaborate: {
    group: 'Stories',
    examples: [
      ['muster elaborate "Let customers pay by card"', 'a draft with tasks and criteria'],
      ['muster elaborate "Let customers pay by card" --json', 'the same, for a script'],
    ],
    see: 'stories',
  },
  story: {
    group: 'Stories',
    examples: [
      ['muster story list', 'every story and its state'],
      ['muster story approve task-1', 'make a story of a draft'],
    ],
    see: 'stories',
  },
  ship: {
    group: 'Stories',
    examples: [
      ['muster ship shop', 'verify with the base, land, deploy, validate'],
      ['muster ship shop --resume', 'go on where it stopped'],
    ],
    see: 'stories',
  },
  clean: {
    group: 'Keep house',
    examples: [
      ['muster clean', 'what is on disk, and what may go'],
      ['muster clean --apply', 'remove what may go'],
    ],
    see: 'commands',
  },
  backup: {
    group: 'Keep house',
    examples: [
      ['muster backup shop.bundle', 'whatever is at work'],
      ['muster -C ../shop backup shop.bundle', 'of a project elsewhere'],
    ],
    see: 'commands',
  },
  restore: {
    group: 'Keep house',
    examples: [
      ['muster restore shop.bundle', 'while nothing is at work'],
      ['muster -C ../shop restore shop.bundle', 'from another folder'],
    ],
    see: 'commands',
  },
  export: {
    group: 'Keep house',
    examples: [
      ['muster export >all.json', 'everything stored about tasks'],
      ['muster export --story shop >shop.json', 'of one story'],
    ],
    see: 'commands',
  },
  mcp: {
    group: 'Connect',
    examples: [
      ['claude mcp add muster -- muster mcp', 'let your agent create tasks and look at them'],
      ['muster mcp --role judge --dir <folder>', 'for a judge that is a command of yours'],
    ],
    see: 'mcp.md',
  },
  completion: {
    group: 'Connect',
    examples: [
      ['source <(muster completion bash)', 'in ~/.bashrc'],
      ['muster completion fish >~/.config/fish/completions/muster.fish', 'once'],
    ],
    see: 'commands',
  },
}

/** What stands below the options of a command. */
export function examplesText({ examples, see }: CommandHelp): string {
  const width = Math.max(...examples.map(([typed]) => typed.length))
  const lines = examples.map(([typed, what]) => `  ${typed.padEnd(width)}  # ${what}`)
  return `\nExamples:\n${lines.join('\n')}\n\nMore: muster help ${see}\n`
}
