/** muster init: looks at the repository and writes a muster.yaml that fits it. */
import { writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL, fileURLToPath } from 'node:url'
import { installedPrograms } from '../app.ts'
import { configText, detectChecks, type InitAgent } from '../config/init.ts'
import { MusterError } from '../domain/errors.ts'
import { CONFIG_NAME, findPlace } from '../project.ts'
import { defaultBranch } from '../workspace/repository.ts'
import type { Io } from './io.ts'
import { printJson } from './io.ts'

export async function init(io: Io, _: string[], options: Record<string, unknown>): Promise<void> {
  const { repository, configPath } = await findPlace(io.cwd, io.env)
  const path = configPath ?? join(repository.root, CONFIG_NAME)
  if (existsSync(path) && options['force'] !== true) {
    throw new MusterError('conflict', `${path} exists already`, {
      hint: 'edit it, or replace it with: muster init --force',
    })
  }
  const base = (await defaultBranch(repository)) ?? 'main'
  const command = typeof options['agent'] === 'string' ? options['agent'] : null
  const [agent = null, ...others] = command === null ? await knownAgents(io) : [{ title: '', run: command, env: [] }]
  const checks = await detectChecks(repository.root)
  await writeFile(path, configText({ base, agent, others, checks, schema: schemaUrl() }))
  if (options['json'] === true) return printJson(io, { path, base, agent, checks })
  io.say(
    `wrote ${path}\n  base    ${base}\n  agent   ${agent === null ? 'none found: set agents.implementer.run' : 'run' in agent ? agent.run : `${agent.title} (runtime ${agent.runtime})`}\n`,
  )
  if (Object.keys(checks).length > 0) io.say(`  checks  ${Object.keys(checks).join(', ')}\n`)
  io.say('next: muster doctor, then muster run "what should be done"\n')
}

async function knownAgents(io: Io): Promise<InitAgent[]> {
  const programs = await installedPrograms(io.env)
  return programs.map(({ runtime, title, key }) => ({ runtime, title, env: key === null ? [] : [key] }))
}

/** The schema that came with this Muster, so that an editor explains the file as it is read. */
function schemaUrl(): string {
  const up = import.meta.url.endsWith('.ts') ? '../../' : '../'
  return pathToFileURL(fileURLToPath(new URL(`${up}muster.schema.json`, import.meta.url))).href
}
