/** muster init: looks at the repository and writes a muster.yaml that fits it. */
import { writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL, fileURLToPath } from 'node:url'
import { findCommandProblem } from '../process/command.ts'
import { KNOWN_AGENTS, configText, detectChecks } from '../config/init.ts'
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
  const agent =
    typeof options['agent'] === 'string'
      ? { name: 'Your agent', run: options['agent'], env: [] }
      : await installedAgent(repository.root)
  const checks = await detectChecks(repository.root)
  await writeFile(path, configText({ base, agent, checks, schema: schemaUrl() }))
  if (options['json'] === true) return printJson(io, { path, base, agent, checks })
  io.say(
    `wrote ${path}\n  base    ${base}\n  agent   ${agent === null ? 'none found: set agents.implementer.run' : agent.run}\n`,
  )
  if (Object.keys(checks).length > 0) io.say(`  checks  ${Object.keys(checks).join(', ')}\n`)
  io.say('next: muster doctor, then muster run "what should be done"\n')
}

async function installedAgent(root: string) {
  for (const agent of KNOWN_AGENTS) {
    if ((await findCommandProblem(agent.program, root)) === null) return agent
  }
  return null
}

/** The schema that came with this Muster, so that an editor explains the file as it is read. */
function schemaUrl(): string {
  const up = import.meta.url.endsWith('.ts') ? '../../' : '../'
  return pathToFileURL(fileURLToPath(new URL(`${up}muster.schema.json`, import.meta.url))).href
}
