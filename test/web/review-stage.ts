/** A change that is worth reading, refused by its checker and waiting for a person; and an agent whose stream is understood. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Api } from '../support/http.ts'
import { World } from '../support/world.ts'

const SESSION = `import { sign, verify } from './token.ts'

/** How long somebody stays logged in. */
const ttlMs = 24 * 60 * 60 * 1000

export interface Session {
  user: string
  startedAt: number
  expiresAt: number
}

export function begin(user: string, now: number): Session {
  return { user, startedAt: now, expiresAt: now + ttlMs }
}

export function renew(session: Session, now: number): Session {
  return { ...session, expiresAt: now + ttlMs }
}

export function isValid(session: Session, now: number): boolean {
  return now < session.expiresAt
}

export const read = (text: string): Session => JSON.parse(verify(text)) as Session
export const write = (session: Session): string => sign(JSON.stringify(session))
`

const CHANGED = SESSION.replace('const ttlMs = 24 * 60 * 60 * 1000', 'const ttlMs = 30 * 60 * 1000 // 30 minutes')
  .replace(
    'now + ttlMs }\n}\n\nexport function renew',
    'now + ttlMs }\n}\n\n/** As long as it is used. */\nexport function renew',
  )
  .replace('return now < session.expiresAt', "if (session.user === '') return false\n  return now <= session.expiresAt")

/** What Claude Code prints while it works, in short. */
const STREAM = [
  { type: 'system', subtype: 'init', session_id: 'a1', model: 'sonnet' },
  {
    type: 'assistant',
    message: {
      id: 'm1',
      content: [{ type: 'text', text: 'I look at how sessions end.\nThen I fix it.' }],
      usage: { input_tokens: 900, output_tokens: 20 },
    },
  },
  {
    type: 'assistant',
    message: { id: 'm2', content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'npm test' } }] },
  },
  {
    type: 'user',
    message: { content: [{ type: 'tool_result', tool_use_id: 't1', is_error: true, content: 'Exit code 1' }] },
  },
  {
    type: 'assistant',
    message: {
      id: 'm3',
      content: [{ type: 'tool_use', id: 't2', name: 'Edit', input: { file_path: 'src/session.ts' } }],
    },
  },
  { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't2', content: 'done' }] } },
  {
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: 'Sessions end after 30 minutes.',
    total_cost_usd: 0.12,
    usage: { input_tokens: 900, output_tokens: 40 },
  },
]

export interface Review {
  api: Api
  /** The task whose diff is worth reading. */
  id: 's-1'
}

export async function review(): Promise<Review> {
  const world = await World.create({
    roles: ['implementer', 'checker'],
    programs: { narrator: 'claude' },
    config: `phases: checked\nlimits: { maxWorkers: 8, maxTaskRounds: 9 }\nchecks: { unit: "echo one; echo two; grep -c session src/session.ts" }\n`,
  })
  const put = (path: string, text: string) => {
    const file = join(world.repository, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  put('src/session.ts', SESSION)
  put('src/time/clock.ts', 'export const now = () => Date.now()\n')
  put('docs/sessions.md', '# Sessions\n\nThey end after a day.\n')
  world.git('add', '-A')
  world.git('-c', 'user.name=Ann', '-c', 'user.email=ann@example.invalid', 'commit', '-qm', 'Sessions')
  writeFileSync(join(world.top, 'changed.ts'), CHANGED)
  writeFileSync(join(world.top, 'stream.jsonl'), STREAM.map((event) => `${JSON.stringify(event)}\n`).join(''))
  world.agent(
    's-1.implementer',
    `cp "$WORLD/changed.ts" src/session.ts; echo "// attempt $MUSTER_ATTEMPT" >>src/session.ts
git mv src/time/clock.ts src/clock.ts; chmod +x docs/sessions.md; printf '# Sessions\\n\\nThey end after **30 minutes**.' >docs/sessions.md
mkdir -p test; printf "import { test } from 'vitest'\\n\\ntest('a session ends', () => {})\\n" >test/session.test.ts; verdict pass`,
  )
  world.agent(
    'checker',
    'verdict fail "src/session.ts:19 renew() never looks at startedAt: a session can live forever"',
  )
  world.agent('s-2', 'cat "$WORLD/stream.jsonl"; echo x >x.txt; verdict pass')
  const api = await Api.of(world)
  await world.submit(
    `  - { id: 1, name: Expire sessions after 30 minutes, description: "A session that is older than 30 minutes is refused.", acceptance_criteria: "A session older than 30 minutes is refused", checks: [unit] }
  - { id: 2, name: Add a session report, description: "Write the report to x.txt.", checks: [unit], agent: narrator }
`,
  )
  await Promise.all(['s-1', 's-2'].map((id) => world.until(({ type, task }) => type === 'checked' && task === id)))
  world.engine.settled(undefined).catch(() => undefined)
  return { api, id: 's-1' }
}
