/** The channel that is always there: a file of notices, one JSON line each, never the same key twice. */
import { open } from 'node:fs/promises'
import { NOTICE_KINDS } from '../domain/notice.ts'
import type { Channel } from '../ports/channel.ts'

/** What is sent again was under way when Muster was killed: it is among the last, if it is there. */
const tailBytes = 256 * 1024

export function logChannel(file: string): Channel {
  return {
    name: 'log',
    on: NOTICE_KINDS,
    paced: false,
    async send(notice) {
      const log = await open(file, 'a+', 0o600)
      try {
        const { size } = await log.stat()
        const from = Math.max(0, size - tailBytes)
        const { buffer } = await log.read(Buffer.alloc(size - from), 0, size - from, from)
        if (!buffer.includes(`"key":${JSON.stringify(notice.key)},`))
          await log.appendFile(`${JSON.stringify(notice)}\n`)
      } finally {
        await log.close()
      }
    },
  }
}
