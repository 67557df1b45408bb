/** The channels that notices can go to, beside the log: the only place that names them. A new one is a file and a line. */
import type { ChannelKind } from './kind.ts'
import { ntfy } from './ntfy.ts'
import { slack } from './slack.ts'
import { terminal } from './terminal.ts'
import { webhook } from './webhook.ts'

export const CHANNELS: readonly ChannelKind[] = [webhook, slack, ntfy, terminal]
