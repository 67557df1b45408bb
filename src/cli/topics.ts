/** The pages of the documentation that came with this Muster: `docs/*.md`, each known by its name. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Beside `src` in a clone, beside `dist` in the package. */
const folder = join(import.meta.dirname, import.meta.url.endsWith('.ts') ? '../../docs' : '../docs')

export function topics(): string[] {
  return readdirSync(folder)
    .flatMap((name) => (name.endsWith('.md') ? [name.slice(0, -'.md'.length)] : []))
    .toSorted()
}

/** A topic as people find it in messages: `checks`, `checks.md` or `docs/checks.md`. Null: there is none of that name. */
export function findTopic(wanted: string): string | null {
  const [, name = ''] = /^(?:\.?\/?docs\/)?([a-z-]+?)(?:\.md)?$/i.exec(wanted.trim()) ?? []
  return topics().find((topic) => topic === name.toLowerCase()) ?? null
}

export function topicText(topic: string): string {
  return readFileSync(join(folder, `${topic}.md`), 'utf8')
}
