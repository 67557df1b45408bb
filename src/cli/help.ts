/**
 * muster help <topic>: a page of the documentation, formatted for a terminal, in the user's pager if they have one.
 */
import { isatty } from 'node:tty'
import { MusterError } from '../domain/errors.ts'
import { nearest } from '../domain/problem.ts'
import { pageText } from '../process/pager.ts'
import type { Io } from './io.ts'
import { paintWith } from './io.ts'
import { renderMarkdown } from './markdown.ts'
import { findTopic, topicText, topics } from './topics.ts'

/** Lines longer than this are hard to read, however wide the terminal. */
const columnsMax = 100

export async function showTopic(io: Io, wanted: string): Promise<void> {
  const topic = findTopic(wanted)
  if (topic === null) {
    const near = nearest(wanted, topics())
    throw new MusterError('not_found', `there is no command and no topic "${wanted}"`, {
      hint: `${near === undefined ? '' : `did you mean "${near}"? `}topics are ${topics().join(', ')}`,
    })
  }
  const text = renderMarkdown(topicText(topic), paintWith(io.color), Math.min(io.columns, columnsMax))
  const pager = io.env['PAGER']?.trim() ?? ''
  if (pager === '' || !io.asks || !isatty(1)) return io.out(text)
  if (!(await pageText(pager, text, io.env))) io.out(text)
}
