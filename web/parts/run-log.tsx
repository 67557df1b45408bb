/** The end of one run's output, as it arrives. The task's page has all of it. */
import { useEffect, useRef, useState } from 'react'
import { at } from '../api/client.ts'
import { openStream, type Message } from '../api/stream.ts'
import { visible } from './text.tsx'

const linesMax = 400
const lineCharsMax = 2000

export function RunLog({ id, label }: { id: string; label: string }) {
  const [lines, setLines] = useState<readonly string[]>([])
  const [state, setState] = useState<'open' | 'over' | 'gone'>('open')
  const box = useRef<HTMLPreElement>(null)
  useEffect(() => {
    let rest = ''
    const onMessage = ({ event, data }: Message): void => {
      if (event === 'end') {
        if (rest !== '') setLines((before) => [...before, rest])
        setState('over')
        close()
        return
      }
      const parts = (rest + (JSON.parse(data) as { text: string }).text).split('\n')
      rest = parts.pop() ?? ''
      if (parts.length > 0) setLines((before) => [...before, ...parts].slice(-linesMax))
    }
    const close = openStream(at`/api/attempts/${id}/log`, onMessage, () => setState('gone'))
    return close
  }, [id])
  useEffect(() => box.current?.scrollTo(0, box.current.scrollHeight), [lines])
  const said = lines.map((line) => visible(line.slice(0, lineCharsMax))).join('\n')
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, and who has no mouse needs to reach it
    <pre className="code run-log" ref={box} tabIndex={0} role="region" aria-label={label}>
      {said === '' ? (state === 'open' ? '…' : state === 'gone' ? 'the log was removed' : 'no output') : said}
    </pre>
  )
}
