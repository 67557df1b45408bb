import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { MusterError } from '../domain/errors.ts'
import { dutyByName } from '../domain/role.ts'
import { definitionsIn } from './definitions.ts'
import { BUILT_IN_ROLES, builtIn, dutyOf } from './roles/index.ts'

function projectWith(files: Record<string, string | Uint8Array>): string {
  const root = mkdtempSync(join(tmpdir(), 'muster-definitions-'))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  return root
}

const written = (more = '', body = 'Look twice.\n', name = 'checker') =>
  `---\nname: ${name}\ndescription: Checks.\n${more}---\n${body}`

const MUSTER = '.muster/agents/checker.md'
const CLAUDE = '.claude/agents/checker.md'

describe('a definition (S4.13)', () => {
  test('has its front matter read and its body as it is', () => {
    const text = `---\nname: checker\ndescription: "Checks: all of it"\ntools: Read, Grep,Glob\nmodel: sonnet\n---\n\n# You\n\n---\nLook twice.\n`
    expect(definitionsIn(projectWith({ [MUSTER]: text })).of('checker')).toEqual({
      name: 'checker',
      description: 'Checks: all of it',
      tools: ['Read', 'Grep', 'Glob'],
      model: 'sonnet',
      body: '# You\n\n---\nLook twice.',
      source: MUSTER,
    })
  })

  test.each([
    ['a list', 'tools: [Read, Bash, Read]\n', ['Read', 'Bash']],
    ['text', 'tools: Read\n', ['Read']],
    ['with those of MCP servers, which no run has', 'tools: Read, mcp__github__list\n', ['Read']],
    [
      'many of them',
      `tools: Read, ${Array.from({ length: 30 }, (_, n) => `mcp__server__tool${n}`).join(', ')}\n`,
      ['Read'],
    ],
    ['not at all: what the role allows', '', null],
  ])('names tools as %s', (_, more, tools) => {
    expect(definitionsIn(projectWith({ [MUSTER]: written(more) })).of('checker')).toMatchObject({ tools })
  })

  test("says what its role does; where it does not, the role's name decides", () => {
    const files = {
      '.muster/agents/gatekeeper.md': written('does: judge\n', 'Look.\n', 'gatekeeper'),
      '.claude/agents/link-checker.md': written('does: work\n', 'Mend.\n', 'link-checker'),
      '.muster/agents/architect.md': written('does: plan\n', 'Think.\n', 'architect'),
      '.claude/agents/ux-critic.md': written('', 'Look.\n', 'ux-critic'),
      '.muster/agents/painter.md': written('', 'Paint.\n', 'painter'),
      [MUSTER]: written(),
    }
    const { does } = definitionsIn(projectWith(files))
    const roles = ['gatekeeper', 'link-checker', 'architect', 'ux-critic', 'painter', 'checker', 'planner', 'nobody']
    expect(roles.map(does)).toEqual(['judge', 'work', 'plan', 'judge', 'work', 'judge', 'plan', 'work'])
  })

  test('may be written on another system', () => {
    const text = `\uFEFF${written('model: inherit\n').replaceAll('\n', '\r\n')}`
    expect(definitionsIn(projectWith({ [MUSTER]: text })).of('checker')).toMatchObject({
      model: null,
      body: 'Look twice.',
    })
  })

  test('is looked for in .muster/agents, then in .claude/agents, then among those that come with Muster', () => {
    const files = { [MUSTER]: written('', 'mine'), [CLAUDE]: written('', 'yours') }
    expect(definitionsIn(projectWith(files)).of('checker')).toMatchObject({ body: 'mine', source: MUSTER })
    const { [MUSTER]: _, ...one } = files
    expect(definitionsIn(projectWith(one)).of('checker')).toMatchObject({ body: 'yours', source: CLAUDE })
    expect(definitionsIn(projectWith({ '.muster': 'a file' })).of('checker')).toEqual(builtIn('checker'))
    expect(definitionsIn(projectWith({})).of('nobody')).toBeNull()
  })

  test('of Claude Code may have keys that Muster does not need', () => {
    const text = written('color: red\npermissionMode: plan\n')
    expect(definitionsIn(projectWith({ [CLAUDE]: text })).of('checker')).toMatchObject({ body: 'Look twice.' })
    expect(() => definitionsIn(projectWith({ [MUSTER]: text })).of('checker')).toThrow('unknown key "color"')
  })

  test('may be a link to another file of the project', () => {
    const root = projectWith({ 'prompts/x.md': written(), '.muster/agents/other.md': '' })
    symlinkSync('../../prompts/x.md', join(root, MUSTER))
    expect(definitionsIn(root).of('checker')).toMatchObject({ source: MUSTER })
  })

  test.each(['../checker', 'a/b', '.', '..', '', 'a\0b', '/etc/passwd'])(
    'is never looked for under the name %j',
    (role) => {
      expect(definitionsIn(projectWith({ 'checker.md': written() })).of(role)).toBeNull()
    },
  )

  test('all roles that have one are known by name', () => {
    const root = projectWith({
      [CLAUDE]: 'broken',
      '.muster/agents/style-critic.md': '',
      '.muster/agents/notes.txt': '',
    })
    expect(definitionsIn(root).names()).toEqual([
      'style-critic',
      'checker',
      ...BUILT_IN_ROLES.filter((r) => r !== 'checker'),
    ])
  })
})

function refusal(root: string): MusterError {
  try {
    definitionsIn(root).of('checker')
  } catch (error) {
    if (error instanceof MusterError) return error
    throw error
  }
  throw new Error('it was not refused')
}

describe('a definition that is refused', () => {
  test.each([
    ['nothing in it', '', `${MUSTER}:1: the front matter is missing`],
    ['no front matter', '# Checker\n\nLook.\n', `${MUSTER}:1: the front matter is missing`],
    ['front matter without an end', '---\nname: checker\nLook.\n', `${MUSTER}:1: the front matter is missing`],
    ['empty front matter', '---\n---\nLook.\n', `${MUSTER}:1: it is empty`],
    ['broken YAML', '---\nname: checker\ndescription: use it when: a\n---\nLook.\n', `${MUSTER}:3: nested mappings`],
    ['a key twice', written('name: checker\n'), `${MUSTER}:4: the key "name" appears twice`],
    ['no name', '---\ndescription: x\n---\nLook.\n', `${MUSTER}:2: the file needs "name"`],
    [
      'another name',
      written('', 'Look.', 'chekcer'),
      `${MUSTER}:2: its name is "chekcer", but the file is called checker.md`,
    ],
    [
      'an unknown key',
      written('modell: opus\n'),
      `${MUSTER}:4: unknown key "modell" (known: name, description, tools, model, does; did you mean "model"?)`,
    ],
    [
      'an unknown tool',
      written('tools: Read, Bsh\n'),
      `${MUSTER}:4: unknown tool "Bsh" (known: Read, Grep, Glob, LS, Edit,`,
    ],
    ['a tool with a pattern', written('tools: ["Bash(git:*)"]\n'), `${MUSTER}:4: unknown tool "Bash(git:*)"`],
    [
      'a duty that there is not',
      written('does: judges\n'),
      `${MUSTER}:4: does must be "work" or "judge" or "plan", not "judges"`,
    ],
    [
      'another duty than the role that Muster itself asks has',
      written('does: work\n'),
      `${MUSTER}:4: does cannot be "work": the checker comes with Muster and does "judge"; give your own role another name`,
    ],
    ['tools that are none', written('tools: []\n'), `${MUSTER}:4: tools must not be empty`],
    ['tools of the wrong type', written('tools: 5\n'), `${MUSTER}:4: tools must be a list or text, not 5`],
    ['an empty body', written('', ' \n\n'), `${MUSTER}: there is no text below the front matter`],
    ['more than 256 KB', written('', 'x'.repeat(256 * 1024)), `${MUSTER} has 257 KB; a definition may have 256 KB`],
    ['ten megabytes', 'x'.repeat(10 * 1024 * 1024), `${MUSTER} has 10240 KB; a definition may have 256 KB`],
    ['no UTF-8', Buffer.from([...Buffer.from(written()), 0xff, 0xfe]), `${MUSTER} is not UTF-8 text`],
    ['NUL characters', written('', 'a\0b'), `${MUSTER} has NUL characters`],
  ])('%s', (_, text, message) => {
    const error = refusal(projectWith({ [MUSTER]: text }))
    expect(error.message).toContain(message)
    expect(error.code).toBe('config')
    expect(error.hint).toBeTruthy()
  })

  test.each([
    ['a folder', (path: string) => mkdirSync(path), 'is a folder'],
    ['a pipe, without waiting for it', (path: string) => execFileSync('mkfifo', [path]), 'is not a regular file'],
    [
      'a link out of the project',
      (path: string) => symlinkSync('/etc/hostname', path),
      'is a symbolic link to a place outside',
    ],
    ['a link to nothing', (path: string) => symlinkSync('nowhere', path), 'cannot be read: it is a broken link'],
    ['a link to itself', (path: string) => symlinkSync('checker.md', path), 'cannot be read: '],
  ])('%s', (_, make, message) => {
    const root = projectWith({ '.muster/agents/other.md': '' })
    make(join(root, MUSTER))
    expect(refusal(root).message).toContain(`${MUSTER} ${message}`)
  })

  test.skipIf(process.getuid?.() === 0)('one that cannot be read', () => {
    const root = projectWith({ [MUSTER]: written() })
    chmodSync(join(root, MUSTER), 0)
    expect(refusal(root).message).toContain('cannot be read')
  })
})

describe('the roles that come with Muster', () => {
  test('are these, each in few words (S4.13, S4.16)', () => {
    expect(BUILT_IN_ROLES).toEqual([
      'implementer',
      'checker',
      'validator',
      'code-reviewer',
      'issue-verifier',
      'elaborator',
      'planner',
      'post-deploy',
    ])
    for (const role of BUILT_IN_ROLES) {
      const { body = '', description = '' } = builtIn(role) ?? {}
      expect(body.split('\n').length, role).toBeLessThanOrEqual(60)
      expect(description, role).not.toBe('')
      expect(body, role).not.toContain('**Verdict')
    }
  })

  test('say what they do, as their names would', () => {
    expect(BUILT_IN_ROLES.map(dutyOf)).toEqual(BUILT_IN_ROLES.map(dutyByName))
  })

  test('judges demand evidence and look for work that only seems done (L23, L31)', () => {
    for (const role of BUILT_IN_ROLES.filter((name) => dutyByName(name) === 'judge')) {
      expect(builtIn(role)?.body, role).toMatch(/PASS/)
      expect(builtIn(role)?.body, role).toMatch(/FAIL/)
    }
    for (const role of ['checker', 'validator', 'code-reviewer']) {
      expect(builtIn(role)?.body, role).toMatch(/placeholders/)
      expect(builtIn(role)?.body, role).toMatch(/file and line/)
    }
    expect(builtIn('issue-verifier')?.body).not.toContain('WARN')
  })
})
