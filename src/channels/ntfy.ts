/** Notices as messages to an ntfy topic: on a phone, with a title, how much it matters, and where a tap leads. */
import type { NoticeKind } from '../domain/notice.ts'
import type { Channel } from '../ports/channel.ts'
import type { ChannelKind, ChannelParts } from './kind.ts'
import { channelName, post } from './post.ts'
import { wordsOf } from './text.ts'

/** As ntfy counts: 3 is usual, 4 is high. Tags are the names of its signs. */
const LOOKS: Record<NoticeKind, { priority: string; tags: string }> = {
  'needs-you': { priority: '4', tags: 'raised_hand' },
  failed: { priority: '4', tags: 'x' },
  crash: { priority: '4', tags: 'boom' },
  shipped: { priority: '3', tags: 'rocket' },
}
/** What is longer becomes an attachment there. */
const messageBytesMax = 4000

export const ntfy: ChannelKind = {
  type: 'ntfy',
  address: true,
  secret: {
    key: 'tokenEnv',
    about: 'of ntfy: the variable with the access token',
    elsewhere: 'has tokenEnv, which is for ntfy',
    problem: (token) => (/[^\x21-\x7E]/.test(token) ? 'does not hold a token' : null),
  },
  open,
}

function open({ url, index, on, secret: token }: ChannelParts): Channel {
  return {
    name: channelName('ntfy', index, url),
    on,
    paced: true,
    async send(notice, abort) {
      const { subject, lines } = wordsOf(notice)
      const { priority, tags } = LOOKS[notice.kind]
      const headers = {
        'content-type': 'text/plain; charset=utf-8',
        title: encoded(subject),
        priority,
        tags,
        ...(notice.link === null ? {} : { click: notice.link }),
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      }
      await post(url, { headers, body: shortened(lines.join('\n')) }, abort)
    },
  }
}

/** Headers are ASCII; anything else goes as an encoded word (RFC 2047), which ntfy reads. */
function encoded(text: string): string {
  return /^[\x20-\x7E]*$/.test(text) ? text : `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`
}

function shortened(text: string): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= messageBytesMax) return text
  // A character that was cut in two is left out.
  return `${bytes
    .subarray(0, messageBytesMax)
    .toString('utf8')
    .replace(/\uFFFD+$/, '')}…`
}
