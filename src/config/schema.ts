/** The shapes of muster.yaml and of plan files, as zod types. What they allow is what the documentation says. */
import { posix } from 'node:path'
import { z } from 'zod'
import { COMMAND, CONTAINER_RUNTIMES, SANDBOX_MODES } from '../domain/config.ts'
import { keepGoldenMs, keepRunsMs, planTasksMax, titleCharsMax } from '../domain/limits.ts'
import { contractSchema } from './contract-schema.ts'
import {
  changePaths,
  dollars,
  duration,
  id,
  keeping,
  lines,
  positive,
  projectPath,
  retries,
  size,
  specRef,
  text,
  title,
  word,
  words,
} from './fields.ts'
import { DUTIES } from '../domain/role.ts'
import { forgeSchema } from './forge.ts'
import { KINDS, type Kinds } from './kinds.ts'
import { notifyEntry } from './notify.ts'
import { PLANNED_RUNTIMES, notYet } from './planned.ts'
import { dutyProblem } from './roles/index.ts'
import { servicesSchema } from './services.ts'

const phase = z.strictObject({
  run: z.string(),
  on_pass: z.string(),
  on_fail: z.string().optional(),
  on_wait: z.string().optional(),
  attempts: positive.optional(),
  timeout: duration.optional(),
  args: z.strictObject({ validators: words.min(1) }).optional(),
})

const phasesSchema = z.union([z.string(), z.record(z.string(), phase)])
export type PhasesText = z.infer<typeof phasesSchema>

const agentFields = {
  does: z.enum(DUTIES).optional(),
  env: words.default([]),
  timeout: duration.optional(),
  network: z.boolean().default(true),
  checks: words.default([]),
  services: words.optional(),
}
const commandAgent = z.strictObject({
  runtime: z.literal(COMMAND),
  run: z.string().trim().min(1),
  verdict: z.enum(['file', 'exit']).default('file'),
  ...agentFields,
})
const programFields = {
  model: word.optional(),
  args: z.array(text).max(100).default([]),
  maxTurns: positive.optional(),
  maxBudgetUsd: dollars.optional(),
  stall: duration.optional(),
  ...agentFields,
}

function agentSchema(programs: Kinds['programs']) {
  const names = programs.map(({ name }) => name)
  const programAgent = z.strictObject({ runtime: z.enum(names), ...programFields })
  return z.discriminatedUnion('runtime', [commandAgent, programAgent], {
    error: ({ code, input }) => {
      if (code !== 'invalid_union') return undefined
      const { runtime } = Object(input) as { runtime?: unknown }
      const planned = PLANNED_RUNTIMES.find((name) => name === runtime)
      const why = planned === undefined ? `, not ${JSON.stringify(runtime)}` : `: ${notYet(`the runtime "${planned}"`)}`
      return `must be ${[COMMAND, ...names].map((name) => `"${name}"`).join(' or ')}${why}`
    },
  })
}

const agentsSchema = (programs: Kinds['programs']) =>
  z.record(word, agentSchema(programs)).superRefine((all, context) => {
    for (const [role, { does }] of Object.entries(all)) {
      const message = does === undefined ? null : dutyProblem(role, does)
      if (message !== null) context.addIssue({ code: 'custom', path: [role, 'does'], message })
    }
  })

const checkFields = z.strictObject({
  run: z.string().trim().min(1),
  env: words.default([]),
  timeout: duration.optional(),
  network: z.boolean().default(true),
  cwd: projectPath.optional(),
  report: projectPath.optional(),
  exclusive: word.optional(),
  paths: changePaths.optional(),
  services: words.optional(),
})
const checkText = z
  .string()
  .trim()
  .min(1)
  .transform((run): z.infer<typeof checkFields> => ({ run, env: [], network: true }))

const setupFields = z.strictObject({
  run: z.string().trim().min(1),
  env: words.default([]),
  timeout: duration.optional(),
  files: z.array(projectPath).max(200).default([]),
})
const setupText = z
  .string()
  .trim()
  .min(1)
  .transform((run) => ({ run, env: [] as string[], timeout: undefined, files: [] as string[] }))

const deployFields = z.strictObject({
  run: z.string().trim().min(1),
  env: words.default([]),
  timeout: duration.optional(),
})
const deployText = z
  .string()
  .trim()
  .min(1)
  .transform((run): z.infer<typeof deployFields> => ({ run, env: [] }))

/** What git reads of the home, or holds it. */
const GIT_SETTINGS = /^\.(?:gitconfig|config|config\/git(?:\/.*)?)$/

/** A path below the home, never out of it. */
const homePath = z
  .string()
  .trim()
  .min(1)
  .max(1000)
  .transform((path, context) => {
    const plain = posix.normalize(path.replace(/^~\//, '')).replace(/\/$/, '')
    if (/^(?:\/|\.\.(?:\/|$)|\.$|[~$])|\p{Cc}/u.test(plain)) {
      const message = `cannot be "${path}": name a path below your home, such as .config/tool`
      context.addIssue({ code: 'custom', message })
    } else if (GIT_SETTINGS.test(plain)) {
      const message = `cannot be "${path}": git would run as you what a run writes to its settings. Runs know your name and address without it. Below .config, name only the folders that a tool needs`
      context.addIssue({ code: 'custom', message })
    } else return plain
    return z.NEVER
  })
const sandboxWord = z.enum(['auto', 'off']).transform((mode) => ({ mode, home: [], limits: {} }))
const noneWord = z.string().transform((value, context) => {
  if (value === 'none') return null
  context.addIssue({ code: 'custom', message: `cannot be "${value}": write a number, or none` })
  return z.NEVER
})
/** Of one run. Fewer processes than this keep the sandbox itself from starting. */
const runLimitsFields = z
  .strictObject({
    processes: z.union([z.number().int().min(16).max(4_194_304), noneWord]).optional(),
    memory: size.optional(),
    disk: size.optional(),
  })
  .transform(({ processes, memory, disk }) => ({ processes, memoryBytes: memory, diskBytes: disk }))
/** As the runtimes write it; one that begins with a dash would be an option to them. */
const imageName = z
  .string()
  .trim()
  .max(500)
  .regex(/^[\w][\w./:@-]*$/, 'must be the name of an image, such as node:24 or ghcr.io/you/tools:1')
const sandboxFields = z
  .strictObject({
    mode: z.enum(SANDBOX_MODES).default('auto'),
    home: z.array(homePath).max(200).default([]),
    caches: z.array(homePath).max(200).optional(),
    limits: runLimitsFields.prefault({}),
    image: imageName.optional(),
    runtime: z.enum(CONTAINER_RUNTIMES).optional(),
  })
  .superRefine(({ mode, image, runtime }, context) => {
    const given = image !== undefined || runtime !== undefined
    if (mode === 'container' && image === undefined) {
      const message = 'is missing: mode: container needs an image for the workers, such as image: node:24'
      context.addIssue({ code: 'custom', path: ['image'], message })
    } else if (mode !== 'container' && given) {
      const message = `is only for mode: container, not for ${mode}`
      context.addIssue({ code: 'custom', path: [image === undefined ? 'runtime' : 'image'], message })
    }
  })

const landingStyle = z.enum(['squash', 'merge'])
const landingFields = z.strictObject({
  style: landingStyle.default('squash'),
  /** Branches of tasks and stories stay when they have landed. */
  keepBranches: z.boolean().default(false),
  /** What Ship and approve land is pushed to the user's remote. */
  push: z.boolean().default(false),
})
const landingWord = landingStyle.transform((style) => landingFields.parse({ style }))

/** A name without a port: a server is reached by it, whatever a proxy makes of the port. */
const hostName = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/, 'must be the name of a machine, such as build.example.org')

/** Pages are named behind it. */
const boardUrl = z
  .url({ protocol: /^https?$/ })
  .max(500)
  .refine(
    (text) => /^https?:\/\/[^/?#@]+\/?$/.test(text),
    'must be an address without a path, such as https://build.example.org',
  )
  .transform((text) => text.replace(/\/$/, ''))

const schemaOf = (kinds: Kinds) =>
  z.strictObject({
    version: z.literal(1, { error: 'must be 1, the only version that this Muster reads' }).default(1),
    base: word.optional(),
    protected: words.optional(),
    phases: phasesSchema.optional(),
    landing: z.union([landingFields, landingWord]).prefault({}),
    limits: z
      .strictObject({
        maxWorkers: positive.optional(),
        maxTaskRounds: positive.optional(),
        maxErrorAttempts: positive.optional(),
        maxValidators: positive.optional(),
        maxValidationAttempts: retries.optional(),
        maxCheckerAttempts: positive.optional(),
        budgetUsd: dollars.optional(),
      })
      .default({}),
    setup: z.union([setupText, setupFields]).optional(),
    protectedPaths: z.array(z.string().trim().min(1).max(300)).max(200).default([]),
    copy: z.array(projectPath).max(200).default([]),
    agents: agentsSchema(kinds.programs).default({}),
    // False: none of that name, although the project has the tool.
    checks: z.record(word, z.union([checkText, checkFields, z.literal(false)])).default({}),
    services: servicesSchema,
    contract: z.strictObject({ promptForAdvisory: z.boolean().default(false) }).default({ promptForAdvisory: false }),
    deploy: z.union([deployText, deployFields]).optional(),
    postDeploy: z.union([deployText, deployFields]).optional(),
    notify: z.array(notifyEntry(kinds.channels)).max(20).default([]),
    forge: forgeSchema(kinds.forges),
    sandbox: z.union([sandboxFields, sandboxWord]).default({ mode: 'auto', home: [], limits: {} }),
    /** Who may decide where agents are not kept in. */
    decisions: z.enum(['person', 'scripted']).default('person'),
    retention: z
      .strictObject({ runs: keeping.default(keepRunsMs), golden: keeping.default(keepGoldenMs) })
      .prefault({}),
    serve: z.strictObject({ allowHosts: z.array(hostName).max(20).default([]), url: boardUrl.optional() }).prefault({}),
  })
export const configSchema = schemaOf(KINDS)
export const configSchemaOf = (kinds: Kinds) => (kinds === KINDS ? configSchema : schemaOf(kinds))

const planTask = z.strictObject({
  id,
  name: title,
  description: text.default(''),
  agent: word.optional(),
  depends_on: z.array(id).max(1000).default([]),
  checks: words.default([]),
  acceptance_criteria: lines.default(''),
  expected_files: z.array(z.string().max(1000)).max(1000).default([]),
  parent: id.optional(),
  phases: phasesSchema.optional(),
  contract: contractSchema.optional(),
  defect: projectPath.optional(),
  spec_ref: specRef.optional(),
  max_attempts: positive.optional(),
  budget_limit_usd: dollars.optional(),
})

const validation = z.strictObject({
  enabled: z.boolean().default(false),
  run_after: words.min(1).optional(),
  validators: words.min(1).optional(),
  max_validation_attempts: retries.optional(),
})

const tasks = z.array(planTask).max(planTasksMax)

export const planSchema = z.strictObject({
  meta: z
    .strictObject({
      id: id.optional(),
      name: z.string().trim().min(1).max(titleCharsMax).optional(),
      validation: validation.optional(),
      max_attempts_default: positive.optional(),
      budget_limit_usd: dollars.optional(),
    })
    .default({}),
  phases: phasesSchema.optional(),
  tasks: tasks.optional(),
  sections: z
    .array(z.strictObject({ id: id.optional(), name: z.string().optional(), tasks }))
    .max(1000)
    .optional(),
})
export type PlanText = z.infer<typeof planSchema>
export type PlanTaskText = z.infer<typeof planTask>
