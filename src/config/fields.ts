/** What the fields of files and requests have in common: texts, names, numbers, durations and paths, as zod types. */
import { z } from 'zod'
import { parseBytes } from '../domain/bytes.ts'
import { parseDuration } from '../domain/duration.ts'
import { idCharsMax, keepMsMax, textCharsMax, timeoutMsMax, titleCharsMax } from '../domain/limits.ts'

/** With less, not even a shell starts. */
const limitBytesMin = 16 * 1024 ** 2
const limitBytesMax = 1024 * 1024 ** 4

export const noNul = (value: string) => !value.includes('\0')
export const text = z.string().max(textCharsMax).refine(noNul, 'must not contain NUL characters')
export const word = z.string().trim().min(1).max(idCharsMax)
export const title = z.string().trim().min(1).max(titleCharsMax).refine(noNul, 'must not contain NUL characters')
export const positive = z.number().int().min(1).max(10_000)
export const retries = z.number().int().min(0).max(10_000)
export const dollars = z.number().positive().max(10_000)

/** Where a task's specification is: one line. */
export const specRef = z
  .string()
  .trim()
  .min(1)
  .max(titleCharsMax)
  .regex(/^[^\p{Cc}]*$/u, 'must be one line')

/** Ids in YAML are often bare numbers. */
export const id = z.union([z.string(), z.number()]).transform(String)

function readDuration(value: string, msMax: number, examples: string, context: z.RefinementCtx): number {
  const ms = Math.round(parseDuration(value) ?? 0)
  if (ms > 0 && ms <= msMax) return ms
  const message = ms > 0 ? `the maximum is ${msMax / 86_400_000}d` : `write ${examples}`
  context.addIssue({ code: 'custom', message: `cannot be "${value}": ${message}` })
  return z.NEVER
}

export const duration = z
  .string({ error: 'must be a duration such as 90s, 30m or 1h30m' })
  .transform((value, context) => readDuration(value, timeoutMsMax, '90s, 30m or 1h30m', context))

/** How long something is kept; null for ever. */
export const keeping = z
  .string({ error: 'must be a time such as 30d, or never' })
  .transform((value, context) => (value === 'never' ? null : readDuration(value, keepMsMax, '30d or never', context)))

/** A size; null for none. */
export const size = z.string({ error: 'must be a size such as 512m or 4g, or none' }).transform((value, context) => {
  if (value === 'none') return null
  const bytes = parseBytes(value) ?? 0
  if (bytes >= limitBytesMin && bytes <= limitBytesMax) return bytes
  const message = bytes > 0 ? 'use a size from 16m to 1024t' : 'write 512m, 4g or none'
  context.addIssue({ code: 'custom', message: `cannot be "${value}": ${message}` })
  return z.NEVER
})

export const words = z.array(word).max(200)
/** Criteria may be one text or a list of lines. */
export const lines = z
  .union([text, z.array(text).max(200)])
  .transform((value) => (Array.isArray(value) ? value.map((line) => `- ${line}`).join('\n') : value))

/** A path below the project, never out of it and never git's own. */
export const projectPath = z
  .string()
  .trim()
  .min(1)
  .max(1000)
  .refine(noNul, 'must not contain NUL characters')
  .transform((path, context) => {
    const parts = path.replace(/^\.\//, '').replace(/\/+$/, '').split('/')
    const inside = parts.every((part) => part !== '' && part !== '.' && part !== '..')
    if (inside && parts[0]?.toLowerCase() !== '.git') return parts.join('/')
    context.addIssue({ code: 'custom', message: `cannot be "${path}": name a path below the project, such as .env` })
    return z.NEVER
  })

/** Globs of files below the project; one behind `!` takes files out again that one before it named. */
const changePath = z
  .string()
  .trim()
  .max(1000)
  .refine(noNul, 'must not contain NUL characters')
  .transform((given, context) => {
    const [, out = '', path = ''] = /^(!?)(?:\.\/)?(.*?)\/*$/.exec(given) ?? []
    if (path !== '' && !/^[/!]|(?:^|\/)\.\.(?:\/|$)/.test(path)) return `${out}${path}`
    const message = `cannot be "${given}": name files below the project, such as packages/api/**`
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  })

export const changePaths = z
  .array(changePath)
  .min(1)
  .max(200)
  .refine(([first = '']) => !first.startsWith('!'), 'excludes files before it includes any: put "**" first')
