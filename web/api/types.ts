/** The types of the server's answers. Only types: no code of the server is in the page. */
import type { z } from 'zod'
import type { ANSWERS, AnswerName } from '../../src/server/http/answers.ts'

export type Answer<N extends AnswerName> = z.infer<(typeof ANSWERS)[N]>
export type Task = Answer<'Task'>
export type Line = Answer<'TaskLine'>
export type Card = Answer<'Cards'>['items'][number]
export type Need = Answer<'Needs'>['items'][number]
export type NeedAction = Need['actions'][number]
export type Attempt = Answer<'Attempt'>
export type Story = Answer<'Story'>
export type Draft = Answer<'Draft'>
export type DraftCheck = Answer<'DraftCheck'>
export type Shipping = Answer<'Shipping'>
export type Explanation = Answer<'Explanation'>
export type StoredEvent = Answer<'Event'>
export type Finding = Answer<'Finding'>
export type Problem = Answer<'Problem'>
export type Stage = Line['stage']
export type CriterionStatus = Card['criteria'][number]['status']
