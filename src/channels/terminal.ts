/**
 * Notices for whoever looks at a `muster run` or `muster serve`: told as an event, which a terminal that is attached shows
 * with a bell (cli/progress.ts). Without one nobody hears it.
 */
import type { Channel } from '../ports/channel.ts'
import type { ChannelKind, ChannelParts } from './kind.ts'
import { wordsOf } from './text.ts'

export const terminal: ChannelKind = { type: 'terminal', address: false, open }

function open({ on, probe }: ChannelParts): Channel {
  return {
    name: 'terminal',
    on,
    paced: true,
    async send(notice) {
      const { subject, lines } = wordsOf(notice)
      probe.emit({ type: 'notice', task: notice.taskId ?? undefined, kind: notice.kind, subject, lines })
    },
  }
}
