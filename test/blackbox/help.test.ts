/** What somebody reads before they know anything: groups, examples, the pages of the documentation, and where muster looks. */
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.ts'
import { paintWith } from '../../src/cli/io.ts'
import { renderMarkdown } from '../../src/cli/markdown.ts'
import { program } from '../../src/cli/program.ts'
import { firstWords } from '../../src/tools/words.ts'
import type { TaskLine } from '../../src/engine/views/views.ts'
import { exited, makeRepo, planText, tempFolder } from '../support/muster.ts'

const docs = readdirSync(join(import.meta.dirname, '../../docs')).flatMap((name) =>
  name.endsWith('.md') ? [name.slice(0, -3)] : [],
)

const COMMAND_HELP = Object.fromEntries(
  COMMANDS.flatMap(({ commands }) => commands.map(({ usage, help }) => [usage.split(' ')[0] ?? '', help])),
)

describe('--help', () => {
  const repo = makeRepo()
  const root = program({} as never, () => undefined)
  const commands = root.commands.filter((command) => !command.name().startsWith('__'))

  test('lists commands in a few groups, and hides what only shells ask', async () => {
    const { stdout } = exited(await repo.here('--help'), 0)
    const groups = [...stdout.matchAll(/^(\w[\w ]*):$/gm)].map(([, name]) => name)
    expect(groups).toEqual(['Options', 'Start', 'Work', 'Look', 'Decide', 'Stories', 'Maintain', 'Connect'])
    expect(stdout).not.toContain('__complete')
    for (const topic of docs) expect(stdout).toContain(topic)
  })

  test.each(commands.map((command) => [command.name(), command] as const))(
    '%s ends with two examples that its own options allow, and a page that is there',
    async (name, command) => {
      const help = COMMAND_HELP[name]
      expect(help?.examples).toHaveLength(2)
      for (const [typed] of help?.examples ?? []) {
        const words = firstWords(typed.replace(/^source <\((.*)\)$/, '$1')).map(({ text }) => text ?? '')
        expect(words.join(' '), typed).toMatch(new RegExp(`\\bmuster (?:-C \\S+ )?${name}\\b`))
        const own = words.slice(words.lastIndexOf(name)).filter((word) => /^--?\w/.test(word))
        const known = command.options.flatMap(({ short, long }) => [short, long])
        expect(known, typed).toEqual(expect.arrayContaining(own))
      }
      expect(docs).toContain(help?.see.replace(/\.md$/, ''))
      const { stdout } = exited(await repo.here('help', name), 0)
      expect(stdout).toMatch(/\nExamples:\n {2}\S.* {2}# .*\n {2}\S.* {2}# .*\n\nMore: muster help \S+\n\s*$/)
      expect((await repo.here(name, '--help')).stdout).toBe(stdout)
    },
  )
})

describe('muster help <topic>', () => {
  const repo = makeRepo()

  test.each(docs)('shows %s, by every name that messages give it, without a project', async (topic) => {
    const cwd = tempFolder()
    const [first, ...others] = await Promise.all(
      [`${topic}.md`, `docs/${topic}.md`].map((name) => repo.hereWith({ cwd }, 'help', name)),
    )
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first?.stdout.split('\n')[0]).toMatch(/^[A-Z][^a-z]+/)
    const prose = first?.stdout.replace(/^ {4}.*$|`[^`]*`/gm, '')
    expect(prose).not.toMatch(/^#|\]\(|\*\*\w|^\|/m)
    for (const other of others) expect(other.stdout).toBe(first?.stdout)
  })

  test('a topic that there is not names those that there are (exit 5)', async () => {
    const { stderr } = exited(await repo.here('help', 'cheks'), 5)
    expect(stderr).toContain('did you mean "checks"?')
    expect(stderr).toContain('agents, board, checks')
    exited(await repo.here('help', '../package'), 5)
  })

  test('a terminal has it in bold and through $PAGER; a pager that is not there is no reason to show nothing', async () => {
    const env = { TERM: 'xterm', PAGER: "sed 's/^/paged /'" }
    const paged = exited(await repo.musterWith({ terminal: true, env }, 'help', 'lies'), 0)
    expect(paged.stdout).toContain('paged \u001B[1mLIES')
    const missing = exited(
      await repo.musterWith({ terminal: true, env: { ...env, PAGER: 'no-such-pager' } }, 'help', 'lies'),
      0,
    )
    expect(missing.stdout).toContain('\u001B[1mLIES')
    expect((await repo.musterWith({ env }, 'help', 'lies')).stdout).not.toContain('paged')
  })
})

describe('Markdown in a terminal', () => {
  const shown = (text: string, columns = 60) => renderMarkdown(text, paintWith(false), columns)

  test('paragraphs and items are wrapped, code is left as it is, links say what to type', () => {
    const text = `# Title\n\nOne **bold \`x\`** line that is\nwrapped [plans](plans.md), see [checks.md](checks.md#a).\n\n- an item of a list\n  that goes on\n- \`a **b** [c](d.md)\`\n\n\`\`\`sh\nx  |  y\n\`\`\`\n<!-- not shown -->\n`
    expect(shown(text, 44)).toBe(
      'TITLE\n\nOne bold `x` line that is wrapped plans\n(muster help plans), see muster help checks.\n\n• an item of a list that goes on\n• `a **b** [c](d.md)`\n\n    x  |  y\n',
    )
  })

  test('a table is aligned where it fits, and told row by row where it does not', () => {
    const table = '| a | b | c |\n|---|---|---|\n| `x \\| y` | one | two |\n| z | three | |\n'
    expect(shown(table)).toBe('a        b      c\n`x | y`  one    two\nz        three\n')
    const wide = `| key | what | why |\n|---|---|---|\n| \`k\` | ${'word '.repeat(12)}| because |\n`
    expect(shown(wide)).toBe(`\`k\`\n    what: ${'word '.repeat(10).trim()}\n    word word\n    why: because\n`)
  })
})

describe('muster list', () => {
  test('lists every task, by stage and story, a page at a time, and says what it does not know', async () => {
    const repo = makeRepo({
      agent: 'test "$MUSTER_TASK_ID" != p-2 && echo x >"$MUSTER_TASK_ID.txt"',
      config: 'limits: { maxTaskRounds: 1 }',
    })
    expect(exited(await repo.here('list'), 0)).toMatchObject({ stdout: '' })
    repo.write('p.yaml', planText('p', { 1: '', 2: '', 3: 'depends_on: [2]' }))
    repo.write('q.yaml', planText('q', { 1: '' }))
    exited(await repo.here('run', 'p.yaml'), 1)
    exited(await repo.here('run', 'q.yaml'), 0)
    const ids = async (...args: string[]) => {
      const page = exited(await repo.here('list', '--json', ...args), 0).json<{
        tasks: TaskLine[]
        next: string | null
      }>()
      return [...page.tasks.map(({ id, stage }) => `${id} ${stage}`), page.next]
    }
    expect(await ids()).toEqual(['p-1 completed', 'p-2 failed', 'p-3 blocked', 'q-1 completed', null])
    expect(await ids('--stage', 'completed')).toEqual(['p-1 completed', 'q-1 completed', null])
    expect(await ids('--stage', 'failed, blocked', '--story', 'p')).toEqual(['p-2 failed', 'p-3 blocked', null])
    expect(await ids('--stage', 'completed', '--limit', '1')).toEqual(['p-1 completed', 'p-1'])
    expect(await ids('--stage', 'completed', '--limit', '1', '--after', 'p-1')).toEqual(['q-1 completed', null])
    expect(exited(await repo.here('list', '--stage', 'failed'), 0).stdout).toMatch(/^✗ p-2 {2}failed/)
    expect(exited(await repo.here('list', '--stage', 'review'), 0)).toMatchObject({
      stdout: '',
      stderr: 'no tasks match\n',
    })
    expect(exited(await repo.here('list', '--stage', 'done'), 2).stderr).toContain('stages are pending, blocked')
    exited(await repo.here('list', '--story', 'nowhere'), 5)
    exited(await repo.here('list', '--limit', '0'), 2)
  })
})

describe('-C', () => {
  test('is the folder that everything is looked for from, as git has it', async () => {
    const repo = makeRepo()
    repo.write('plan.yaml', planText('p', { 1: '' }))
    mkdirSync(join(repo.dir, 'below'))
    const above = join(repo.dir, '..')
    expect(exited(await repo.hereWith({ cwd: above }, '-C', 'project', 'run', 'plan.yaml'), 0).stdout).toContain(
      'story p',
    )
    const status = await repo.hereWith({ cwd: '/' }, '-C', above, '-C', 'project/below', 'status', '--all')
    expect(exited(status, 0).stdout).toContain('p-1')
    expect(exited(await repo.hereWith({ cwd: above }, '-C', 'elsewhere', 'status'), 2).stderr).toContain(
      'there is no such folder',
    )
  })
})
