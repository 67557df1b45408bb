/** What is said to a container's runtime. What comes of it is in confine.test.ts. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { containedCommand, containerName, type Boarder, type Container } from './container.ts'
import { tempDir } from './fixtures/temp.ts'

const podman: Container = { runtime: 'podman', client: '/usr/bin/podman', image: 'sha256:1', user: ['--user', '1:1'] }

function boarder(top: string, more: Partial<Boarder> = {}): Boarder {
  for (const name of ['home/.tools/bin', 'home/code', 'data/workspaces/w', 'data/runs/r']) {
    mkdirSync(join(top, name), { recursive: true })
  }
  const [dir, cwd] = [join(top, 'data/runs/r'), join(top, 'data/workspaces/w')]
  const rules = [
    { path: join(top, 'home'), access: 'hide', always: true },
    { path: join(top, 'data'), access: 'hide' },
    { path: join(top, 'home/.tools/bin'), access: 'read' },
    { path: '/usr/bin', access: 'read' },
    { path: cwd, access: 'write' },
  ] as const
  const env = { HOME: join(top, 'home'), PATH: `${top}/home/.tools/bin:/usr/bin`, TOKEN: 'hunter2', SHELL: '/bin/zsh' }
  return { dir, cwd, env, command: ['/bin/sh', '-c', 'true'], rules, network: true, apart: false, ...more }
}

/** The values of one option, in order. */
const valuesOf = (command: readonly string[], option: string): string[] =>
  command.filter((_, index) => command[index - 1] === option)

describe('the command of a container', () => {
  test('S1.21 names variables and tells no value of any', () => {
    const command = containedCommand(podman, boarder(tempDir()))
    expect(valuesOf(command, '--env')).toEqual(['HOME', 'TOKEN'])
    expect(command.join(' ')).not.toContain('hunter2')
  })

  test('shows of the machine what a rule names in a hidden place, and nothing that the image has itself', () => {
    const top = tempDir()
    const command = containedCommand(podman, boarder(top))
    const bind = (path: string) => `type=bind,source=${path},destination=${path},bind-nonrecursive`
    expect(valuesOf(command, '--mount')).toEqual([
      `${bind(join(top, 'home/.tools/bin'))},readonly`,
      bind(join(top, 'data/workspaces/w')),
      `type=bind,source=${top}/data/runs/r/container,destination=/run/muster,bind-nonrecursive,readonly`,
    ])
    const hidden = valuesOf(command, '--tmpfs').map((value) => value.split(':')[0])
    const between = ['home/.tools', 'data/workspaces'].map((name) => join(top, name))
    expect(hidden).toEqual(['/tmp', '/var/tmp', '/run', join(top, 'home'), join(top, 'data'), ...between])
    // The image's PATH comes first, inside.
    expect(command).toContain(join(top, 'home/.tools/bin'))
  })

  test('a folder that goes by two names is there under both', () => {
    const top = tempDir()
    const { cwd, ...rest } = boarder(top)
    symlinkSync(cwd, join(top, 'other'))
    const command = containedCommand(podman, { ...rest, cwd, rules: [{ path: join(top, 'other'), access: 'write' }] })
    const places = valuesOf(command, '--mount').map((value) => /destination=([^,]*)/.exec(value)?.[1])
    expect(places).toEqual([cwd, join(top, 'other'), '/run/muster'])
  })

  test('certificates that the environment names are there, whatever the image has', () => {
    const top = tempDir()
    const plain = boarder(top)
    writeFileSync(join(top, 'ca.pem'), '')
    const env = { ...plain.env, NODE_EXTRA_CA_CERTS: join(top, 'ca.pem'), SSL_CERT_FILE: join(top, 'none.pem') }
    const mounts = valuesOf(containedCommand(podman, { ...plain, env }), '--mount')
    expect(mounts.filter((mount) => mount.includes('.pem'))).toEqual([
      `type=bind,source=${top}/ca.pem,destination=${top}/ca.pem,bind-nonrecursive,readonly`,
    ])
  })

  test('no network is asked for where there must be none', () => {
    const plain = boarder(tempDir())
    expect(valuesOf(containedCommand(podman, plain), '--network')).toEqual([])
    expect(valuesOf(containedCommand(podman, { ...plain, network: false }), '--network')).toEqual(['none'])
  })

  test('a path that cannot be said to the runtime is refused: part of it would be an option', () => {
    const plain = boarder(tempDir())
    const odd = join(plain.cwd, 'a,destination=')
    mkdirSync(odd)
    const rules = [{ path: odd, access: 'write' }] as const
    expect(() => containedCommand(podman, { ...plain, rules })).toThrow('a container cannot use the path')
  })

  test('its name is the run’s alone: of the same run in another project it is another', () => {
    expect(containerName('/a/runs/t.r1')).toMatch(/^muster-t\.r1-[0-9a-f]{16}$/)
    expect(containerName('/b/runs/t.r1')).not.toBe(containerName('/a/runs/t.r1'))
  })
})
