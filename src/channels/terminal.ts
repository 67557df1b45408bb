/**
 * Notices for the terminal of `muster run` or `muster serve`: an event, which an attached terminal shows with a bell
 * (cli/progress.ts). Without a terminal nothing happens.
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
