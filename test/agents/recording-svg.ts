/**
 * A terminal as a picture: each line appears when it was there for good, in its colours. What was drawn over is left out.
 * Where nothing moves, all of it is there.
 */
export const columns = 112
const pauseMsMax = 900
const [lineHeight, charWidth, edge] = [19, 7.85, 18]
/** As a character that can be seen, from here on. */
const ESCAPE = '\u001B'
const COLORS: Readonly<Record<string, string>> = { 2: 'dim', 31: 'red', 32: 'green', 33: 'yellow', 36: 'cyan' }

interface Row {
  text: string
  atMs: number
}

/** As much of a terminal as Muster asks of one: lines, going back up, and clearing what is below or to the right. */
export class Screen {
  readonly rows: Row[] = [{ text: '', atMs: 0 }]
  #at = 0

  write(text: string, atMs: number): void {
    for (const [part] of text.replaceAll(ESCAPE, '␛').matchAll(/␛\[\d*[AJK]|\r|\n|(?:␛\[[\d;]*m|[^\r\n␛])+/g)) {
      const row = this.rows[this.#at]
      const up = /^␛\[(\d+)A$/.exec(part)?.[1]
      if (up !== undefined) this.#at = Math.max(0, this.#at - Number(up))
      else if (part === '␛[J') this.rows.splice(this.#at, Infinity, { text: '', atMs })
      else if (part === '\n') this.#next(atMs)
      else if (part === '\r') this.rows[this.#at] = { text: '', atMs }
      else if (part !== '␛[K') this.rows[this.#at] = { text: (row?.text ?? '') + part, atMs }
    }
  }

  #next(atMs: number): void {
    this.#at += 1
    this.rows[this.#at] ??= { text: '', atMs }
  }
}

export function drawn(screen: Screen): string {
  const rows = shortened(screen.rows).flatMap(wrapped)
  while (rows.at(-1)?.text === '') rows.pop()
  const [width, height] = [Math.ceil(columns * charWidth + 2 * edge), rows.length * lineHeight + 2 * edge]
  const texts = rows.map(({ text, atMs }, n) => {
    const y = (edge + (n + 0.8) * lineHeight).toFixed(1)
    return `<text x="${edge}" y="${y}" style="animation-delay:${(atMs / 1000).toFixed(2)}s">${spans(text)}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Muster in a terminal: init, run, ship">
<style>
text { font: 13px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #d6dbe3; white-space: pre; animation: show 1ms both }
.typed { font-weight: bold; fill: #fff }
.dim { fill: #8b95a3 }
.red { fill: #ff8f85 }
.green { fill: #7dd3a8 }
.yellow { fill: #eac26b }
.cyan { fill: #79c7e3 }
@keyframes show { from { opacity: 0 } }
@media (prefers-reduced-motion) { text { animation: none } }
</style>
<rect width="100%" height="100%" rx="10" fill="#171b22"/>
${texts.join('\n')}
</svg>
`
}

/** From the first line on, without the long pauses. */
function shortened(rows: readonly Row[]): Row[] {
  let [at, before] = [0, rows[0]?.atMs ?? 0]
  return rows.map(({ text, atMs }) => {
    at += Math.min(Math.max(0, atMs - before), pauseMsMax)
    before = Math.max(before, atMs)
    return { text, atMs: at }
  })
}

/** As a terminal does it; what is in colours is cut to its width already. */
function wrapped({ text, atMs }: Row): Row[] {
  const parts = text.includes('␛') ? [text] : (text.match(new RegExp(`.{1,${columns}}`, 'gu')) ?? [''])
  return parts.map((part) => ({ text: part, atMs }))
}

function spans(text: string): string {
  let color = text.startsWith('$ ') ? 'typed' : ''
  const parts = text.matchAll(/␛\[([\d;]*)m|[^␛]+/g)
  return Array.from(parts, ([part, code]) => {
    if (code !== undefined) color = COLORS[code] ?? ''
    if (code !== undefined) return ''
    return color === '' ? escaped(part) : `<tspan class="${color}">${escaped(part)}</tspan>`
  }).join('')
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
