/** The channel that is always there: a file of notices, one JSON line each, never the same key twice. */
import { appendFile, readFile } from 'node:fs/promises'
import { NOTICE_KINDS } from '../domain/notice.ts'
import type { Channel } from '../ports/channel.ts'

export function logChannel(file: string): Channel {
  return {
    name: 'log',
    on: NOTICE_KINDS,
    paced: false,
    async send(notice) {
      const earlier = await readFile(file, 'utf8').catch(() => '')
      if (earlier.includes(`"key":${JSON.stringify(notice.key)},`)) return
      await appendFile(file, `${JSON.stringify(notice)}\n`, { mode: 0o600 })
    },
  }
}
