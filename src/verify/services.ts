/** A check's command and its services, from the trusted side: they judge and are not judged. */
import type { CheckConfig, ProjectConfig } from '../domain/config.ts'
import { servicesNamed, type Service } from '../domain/service.ts'
import { shellText } from '../tools/words.ts'
import { resolveCommand, type Resolved } from './command.ts'
import type { Trusted } from './script-file.ts'

/** `check`: of the configuration, if the command is its. What its services stand for is told with what it stands for. */
export async function resolveCheck(
  run: string,
  check: CheckConfig | undefined,
  config: ProjectConfig,
  trusted: Trusted,
): Promise<{ resolved: Resolved; services: Service[] }> {
  const resolved = await resolveCommand(run, check?.cwd ?? '', trusted, check !== undefined)
  const { services, commands } = await resolveServices(servicesNamed(config, check?.services), trusted)
  const all = [resolved, ...commands]
  const joined = {
    placed: all.flatMap(({ placed }) => placed),
    files: all.flatMap(({ files }) => files),
    scripts: all.flatMap(({ scripts }) => scripts),
    loose: all.some(({ loose }) => loose),
  }
  return { resolved: { ...resolved, ...joined }, services }
}

export async function resolveServices(
  asked: readonly Service[],
  trusted: Trusted,
): Promise<{ services: Service[]; commands: Resolved[] }> {
  const commands: Resolved[] = []
  const text = async (run: string): Promise<string> => {
    const resolved = await resolveCommand(run, '', trusted, true)
    commands.push(resolved)
    return shellText(resolved)
  }
  const services: Service[] = []
  for (const service of asked) {
    const ready = service.ready === null ? null : await text(service.ready)
    const stop = service.stop === null ? null : await text(service.stop)
    services.push({ ...service, run: await text(service.run), ready, stop })
  }
  return { services, commands }
}
