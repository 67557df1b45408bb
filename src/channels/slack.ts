/**
 * Notices for Slack, and for services that accept the same messages. Words of tasks and agents are plain text in them:
 * they mention nobody and link nowhere.
 */
import type { Channel } from '../ports/channel.ts'
import type { ChannelKind, ChannelParts } from './kind.ts'
import { channelName, post } from './post.ts'
import { wordsOf } from './text.ts'

export const slack: ChannelKind = { type: 'slack', address: true, open }

function open({ url, index, on }: ChannelParts): Channel {
  return {
    name: channelName('slack', index, url),
    on,
    paced: true,
    async send(notice, abort) {
      const { subject, lines } = wordsOf(notice)
      const text = [...[subject, ...lines].map(inert), ...(notice.link === null ? [] : [notice.link])].join('\n')
      await post(url, { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ text }) }, abort)
    },
  }
}

/** Without width: people read the same, and nothing is recognised across it. */
const GAP = '\u200B'

/** Slack's own markup is in angle brackets; receivers that are like it also know `@name`, addresses and Markdown links. */
function inert(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('@', `@${GAP}`)
    .replaceAll('://', `:${GAP}//`)
    .replaceAll('](', `]${GAP}(`)
    .replace(/\bwww\./gi, (word) => word.replace('.', `${GAP}.`))
}
