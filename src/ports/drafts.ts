/** Drafts of stories: what an elaborator made of a goal, parsed and checked before anybody sees it. */
import type { StoryDraft } from '../domain/story/draft.ts'

export interface Drafts {
  /** `problems`: why it is no draft. `warnings`: criteria that nobody else could verify, with how to word them. */
  read(text: string): { draft: StoryDraft; warnings: string[] } | { problems: string[] }
}
