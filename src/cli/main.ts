/** The program: what runs when somebody types `muster`. */
import { systemIo } from './io.ts'
import { main } from './program.ts'

const lingerMs = 2000

// Started by an older Node on our behalf (bin/muster.mjs): when that one is gone, nobody waits for us any more.
if (process.channel !== undefined) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  process.channel.unref()
}

// Node would open a door for debuggers, through which any program of this user could make decisions.
process.on('SIGUSR1', () => undefined)

// A reader that had enough (`muster logs | head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
process.exitCode = await main(process.argv.slice(2), systemIo())
// It has said all it had to say: nothing that was left half begun, for want of descriptors say, keeps it from ending.
setTimeout(() => process.exit(), lingerMs).unref()
