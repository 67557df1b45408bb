/**
 * What a task is there for. Most are work that somebody asked for; some serve another task or a story, and are left out of
 * what people count and list. Whoever needs to know asks here, and not which kind it is.
 */
import type { StoryWork } from '../story/story.ts'

export type Purpose =
  | { readonly is: 'work' }
  /** Its result is a draft of a story: what its agent says. */
  | { readonly is: 'elaborate' }
  /** Judges an attempt of another task. */
  | { readonly is: 'check'; readonly of: string }
  /** Does something for a story as a whole. */
  | { readonly is: StoryWork; readonly story: string }

interface Purposed {
  readonly purpose: Purpose
}

/** Of most tasks. One object: many tasks are in memory. */
export const WORK: Purpose = { is: 'work' }
export const ELABORATION: Purpose = { is: 'elaborate' }

/** A person or a plan asked for it: it is listed, lands as itself, and has a branch and a pull request of its own. */
export const isAsked = ({ purpose: { is } }: Purposed): boolean => is === 'work' || is === 'elaborate'

/** Its result is a draft, which a person approves. */
export const isElaboration = ({ purpose }: Purposed): boolean => purpose.is === 'elaborate'

/** The task whose attempt it judges, if it is a checker. */
export const checkedTask = ({ purpose }: Purposed): string | null => (purpose.is === 'check' ? purpose.of : null)
export const isCheck = (task: Purposed): boolean => checkedTask(task) !== null

/** The task under whose contract it works: a checker has none of its own. */
export const subjectId = (task: Purposed & { readonly id: string }): string => checkedTask(task) ?? task.id

/** The story that it serves as a whole: what it has to tell, that story tells. */
export const servedStory = ({ purpose }: Purposed): string | null => ('story' in purpose ? purpose.story : null)

/** The story that it belongs to and spends for, whether it counts there or not. */
export const homeStory = (task: Purposed & { readonly story: string | null }): string | null =>
  servedStory(task) ?? task.story

/** The story that it brings to its base: that says how to go on. */
export const shippedStory = ({ purpose }: Purposed): string | null => (purpose.is === 'ship' ? purpose.story : null)

/** It looks at what was deployed, and may do so as often as somebody wants. */
export const isValidation = ({ purpose }: Purposed): boolean => purpose.is === 'validation'

/** How rows and answers say it. */
export interface Serving {
  /** Of a checker: the task it checks. */
  checkerFor: string | null
  /** Of a task that works for a story as a whole: which story, and which kind of work. */
  worksFor: { story: string; kind: StoryWork } | null
}

export function servingOf(task: Purposed): Serving {
  const { purpose } = task
  const worksFor = 'story' in purpose ? { story: purpose.story, kind: purpose.is } : null
  return { checkerFor: checkedTask(task), worksFor }
}

/** null: it serves nothing, so somebody asked for it. */
export function purposeOf({ checkerFor, worksFor }: Partial<Serving>): Purpose | null {
  if (checkerFor != null) return { is: 'check', of: checkerFor }
  return worksFor == null ? null : { is: worksFor.kind, story: worksFor.story }
}
