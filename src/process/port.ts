/**
 * A port for each run, so that servers of parallel tasks do not collide. It is below the range from which systems
 * assign ports, free when it is given out, and not given out again by this Muster until it is returned.
 */
import { createServer } from 'node:net'

const [first, count] = [20_000, 10_000]
const taken = new Set<number>()
/** Where to look next; several Musters on one machine start at different places. */
let next = (process.pid * 37) % count

interface Port {
  number: number
  release(): void
}

async function takePort(): Promise<Port> {
  for (let tries = 0; tries < count; tries++) {
    const number = first + next
    next = (next + 1) % count
    if (taken.has(number)) continue
    taken.add(number)
    if (await isFree(number)) return { number, release: () => void taken.delete(number) }
    taken.delete(number)
  }
  throw new Error(`no port from ${first} to ${first + count - 1} is free`)
}

/** So many, or none. */
export async function takePorts(many: number): Promise<Port[]> {
  const ports: Port[] = []
  try {
    while (ports.length < many) ports.push(await takePort())
  } catch (error) {
    for (const port of ports) port.release()
    throw error
  }
  return ports
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)))
  })
}
