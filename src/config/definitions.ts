/**
 * Agent definitions: Markdown with front matter in the user's checkout, or built in. They are read together with the
 * configuration and are part of its snapshot, so what an author writes on its branch instructs no judge.
 */
import { lstatSync, readFileSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { z } from 'zod'
import type { AgentDefinition } from '../domain/config.ts'
import { MusterError } from '../domain/errors.ts'
import { isId } from '../domain/ids.ts'
import { definitionBytesMax } from '../domain/limits.ts'
import { unknownWord } from '../domain/problem.ts'
import { DUTIES, type Duty } from '../domain/role.ts'
import { DEFINITION_FOLDERS } from '../tools/agent-files.ts'
import { check } from './check.ts'
import { BUILT_IN_ROLES, builtIn, dutyOf, dutyProblem } from './roles/index.ts'
import type { YamlFile } from './yaml.ts'
import { parseYaml, refuse } from './yaml.ts'

/** What a role is told; null where nobody says anything about it. Throws where somebody does, and wrongly. */
export interface Definitions {
  of(role: string): AgentDefinition | null
  /** What the role does, as its definition says or, where that says nothing, by its name. */
  does(role: string): Duty
  /** Roles that have one. */
  names(): string[]
}

const HINT = 'docs/judges.md shows a definition'

/** As Claude Code names them. Those of MCP servers are known by their prefix; Muster's runs have no such servers. */
const TOOLS = (
  'Read Grep Glob LS Edit MultiEdit Write NotebookEdit NotebookRead Bash BashOutput KillShell Monitor WebFetch WebSearch ' +
  'Task Agent TaskOutput TaskStop TodoWrite Skill SlashCommand ToolSearch Workflow ExitPlanMode AskUserQuestion'
).split(' ')
const MCP_TOOL = /^mcp__[\w*-]+$/

/** Keys of Claude Code's that say how it runs an agent of its own. In its folder they are left alone. */
const FOREIGN_KEYS = (
  'background color disallowedTools effort hooks initialPrompt isolation maxTurns mcpServers memory permissionMode ' +
  'skills'
).split(' ')

const word = z.string().trim().min(1).max(200)
const toolList = z.union([
  z.array(word).min(1).max(100),
  z
    .string()
    .trim()
    .min(1)
    .max(5000)
    .transform((text) => text.split(',').map((tool) => tool.trim())),
])
const shape = z.strictObject({
  name: word,
  description: z.string().trim().default(''),
  tools: toolList.optional(),
  model: word.optional(),
  does: z.enum(DUTIES).optional(),
})
const foreignShape = z.strictObject({
  ...shape.shape,
  ...Object.fromEntries(FOREIGN_KEYS.map((key) => [key, z.unknown().optional()])),
})

/** The project's own definitions, then those that come with Muster. */
export function definitionsIn(root: string): Definitions {
  const written = (role: string) => {
    // What is no id is no name of a file either, and must not lead anywhere.
    for (const folder of isId(role) ? DEFINITION_FOLDERS : []) {
      const name = `${folder}/${role}.md`
      const bytes = readInside(root, name)
      if (bytes !== null) return readDefinition(bytes, name, role)
    }
    return null
  }
  return {
    of: (role) => written(role)?.definition ?? builtIn(role),
    does: (role) => written(role)?.does ?? dutyOf(role),
    names: () => [
      ...new Set([...DEFINITION_FOLDERS.flatMap((folder) => namesIn(join(root, folder))), ...BUILT_IN_ROLES]),
    ],
  }
}

/** Where there is no folder to look in. */
export const BUILT_IN: Definitions = { of: builtIn, does: dutyOf, names: () => [...BUILT_IN_ROLES] }

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .flatMap((name) => (name.endsWith('.md') ? [name.slice(0, -3)] : []))
      .toSorted()
  } catch {
    return []
  }
}

function wrong(message: string, hint = HINT): never {
  throw new MusterError('config', message, { hint })
}

/** The file's bytes; null when there is none. */
function readInside(root: string, name: string): Uint8Array | null {
  const path = join(root, name)
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return null
    const real = realpathSync(path)
    const way = relative(realpathSync(root), real)
    if (way === '..' || way.startsWith(`..${sep}`)) {
      wrong(`${name} is a symbolic link to a place outside of the project`, 'put the file itself there')
    }
    const info = statSync(real)
    if (!info.isFile())
      wrong(
        `${name} is ${info.isDirectory() ? 'a folder' : 'not a regular file'}`,
        `put a Markdown file there. ${HINT}`,
      )
    if (info.size > definitionBytesMax) {
      const size = `${Math.ceil(info.size / 1024)} KB`
      wrong(
        `${name} has ${size}; a definition may have ${definitionBytesMax / 1024} KB`,
        'shorten it: it is part of every prompt',
      )
    }
    return readFileSync(real)
  } catch (cause) {
    if (cause instanceof MusterError) throw cause
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === 'ENOTDIR') return null
    const why = code === 'ENOENT' ? 'it is a broken link' : message
    throw new MusterError('config', `${name} cannot be read: ${why}`, { hint: HINT, cause })
  }
}

/** `name`: the file as the user would name it; `role`: what the file is called. */
function readDefinition(bytes: Uint8Array, name: string, role: string): { definition: AgentDefinition; does?: Duty } {
  const text = decoded(bytes, name)
  const [, front, body = ''] = /^---[ \t]*\r?\n([\s\S]*?)(?<=\n)---[ \t]*(?:\r?\n([\s\S]*))?$/.exec(text) ?? []
  if (front === undefined) {
    wrong(
      `${name}:1: the front matter is missing`,
      `start the file with:\n---\nname: ${role}\ndescription: what it does\n---`,
    )
  }
  // One empty line in place of the first `---`, so that every line has its number in the file.
  const file = frontMatter(`\n${front}`, name)
  const ours = name.startsWith(DEFINITION_FOLDERS[0])
  const found = check(file, ours ? shape : foreignShape, [], HINT)
  if (found.name !== role) {
    const message = `its name is "${found.name}", but the file is called ${role}.md`
    refuse(file, [{ path: ['name'], message }], `write name: ${role}, or rename the file`)
  }
  const tools = found.tools === undefined ? null : [...new Set(found.tools)].filter((tool) => !MCP_TOOL.test(tool))
  const strange = tools?.filter((tool) => !TOOLS.includes(tool)) ?? []
  if (strange.length > 0) {
    const problems = strange.map((tool) => ({ path: ['tools'], message: unknownTool(tool) }))
    refuse(file, problems, "use Claude Code's names of tools, or leave tools out")
  }
  if (body.trim() === '')
    wrong(`${name}: there is no text below the front matter`, 'write below it what the role should do')
  const model = found.model === undefined || found.model === 'inherit' ? null : found.model
  const definition = { name: role, description: found.description, tools, model, body: body.trim(), source: name }
  const { does } = found
  const message = does === undefined ? null : dutyProblem(role, does)
  if (message !== null) refuse(file, [{ path: ['does'], message: `does ${message}` }], HINT)
  return { definition, ...(does === undefined ? {} : { does }) }
}

function frontMatter(text: string, name: string): YamlFile {
  try {
    return parseYaml(text, name)
  } catch (cause) {
    const { message } = cause as Error
    throw new MusterError('config', message, {
      hint: 'front matter is YAML: put a text with ": " in it in quotes',
      cause,
    })
  }
}

/** All of them: there is nowhere else to look them up. */
function unknownTool(tool: string): string {
  const message = unknownWord('tool', tool, TOOLS)
  return message.replace(/known: [^;)]*/, `known: ${TOOLS.join(', ')}`)
}

function decoded(bytes: Uint8Array, name: string): string {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return wrong(`${name} is not UTF-8 text`, 'save it as UTF-8')
  }
  if (text.includes('\0')) wrong(`${name} has NUL characters, so it is not text`, 'save it as plain Markdown')
  return text
}
