/**
 * Charts, drawn here: columns, a line, and rows of one or more parts. Each has its values as a table too, and one that
 * is pointed at, tapped or reached with the arrow keys is read out above it.
 */
import type { KeyboardEvent, ReactNode } from 'react'
import { useEffect, useId, useRef, useState } from 'react'
import { Text, visible } from './text.tsx'

export type Fill = 'accent' | 'good' | 'bad' | 'warn' | 'plain'

/** One thing of a chart. `said`: all there is to know of it, in words. */
interface Point {
  key: string
  name: string
  said: string
}

export interface Column extends Point {
  value: number
}

export interface Row extends Point {
  parts: readonly { fill: Fill; value: number; label: string }[]
  /** What stands behind the bar. */
  sum: string
}

interface Frame {
  title: string
  /** What stands above it while nothing is chosen. */
  note: string
  head: readonly string[]
  cells: readonly (readonly string[])[]
}

/** A chart in its panel, with the table of its values. */
function Panel({ title, note, head, cells, said, children }: Frame & { said: string | null; children: ReactNode }) {
  return (
    <figure className="panel chart" aria-label={title}>
      <figcaption>
        <h2>{title}</h2>
        <p className={`small chart-said ${said === null ? 'muted' : ''}`}>
          <Text>{said ?? note}</Text>
        </p>
      </figcaption>
      {children}
      <details>
        <summary>As a table</summary>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, and who has no mouse needs to reach it */}
        <div className="chart-table" tabIndex={0} role="region" aria-label={`${title}, as a table`}>
          <table>
            <thead>
              <tr>
                {head.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {cells.map(([first = '', ...rest]) => (
                <tr key={first}>
                  <th scope="row">
                    <Text>{first}</Text>
                  </th>
                  {rest.map((cell, index) => (
                    <td key={index} className="num">
                      {cell}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  )
}

/** Which of the points is read out; one place in the order of tabs, and arrows between them. */
function useChosen(points: readonly Point[]) {
  const [chosen, setChosen] = useState<number | null>(null)
  const [tab, setTab] = useState(0)
  const stop = Math.min(tab, points.length - 1)
  const onKeyDown = (event: KeyboardEvent<SVGSVGElement>) => {
    const steps: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }
    const last = points.length - 1
    const to = event.key === 'Home' ? 0 : event.key === 'End' ? last : stop + (steps[event.key] ?? 0)
    if (to === stop || to < 0 || to > last) return
    event.preventDefault()
    setTab(to)
    event.currentTarget.querySelectorAll<SVGElement>('[data-point]')[to]?.focus()
  }
  const give = (index: number) => ({
    role: 'img',
    'aria-label': visible(points[index]?.said ?? ''),
    'data-point': true,
    tabIndex: index === stop ? 0 : -1,
    className: chosen === index ? 'point on' : 'point',
    onFocus: () => {
      setChosen(index)
      setTab(index)
    },
    onBlur: () => setChosen(null),
    onMouseEnter: () => setChosen(index),
    onMouseLeave: () => setChosen(null),
  })
  return { said: chosen === null ? null : (points[chosen]?.said ?? null), onKeyDown, give }
}

/** As wide as there is room: text keeps its size. */
function useWidth(): { box: React.RefObject<HTMLDivElement | null>; width: number } {
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(320)
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const observer = new ResizeObserver(() => setWidth(Math.max(200, Math.floor(element.clientWidth))))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return { box, width }
}

/** Round numbers from 0 to at least `max`, a few of them. */
export function ticksTo(max: number, wanted = 4): number[] {
  if (max <= 0) return [0, 1]
  const rough = max / wanted
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power
  return Array.from({ length: Math.ceil(max / step - 1e-9) + 1 }, (_, index) => index * step)
}

const plotPx = 132
const topPx = 16
const bottomPx = 20
const letterPx = 6.6

interface ColumnsProps extends Frame {
  columns: readonly Column[]
  /** How a value is written at the axis and above its column. */
  write(value: number): string
  shape?: 'columns' | 'line'
  ticks?: readonly number[]
}

export function Columns({ columns, write, shape = 'columns', ticks: given, ...frame }: ColumnsProps) {
  const { box, width } = useWidth()
  const { said, onKeyDown, give } = useChosen(columns)
  const most = Math.max(0, ...columns.map(({ value }) => value))
  const ticks = given ?? ticksTo(most)
  const top = ticks.at(-1) ?? 1
  const left = Math.max(...ticks.map((tick) => write(tick).length)) * letterPx + 8
  const right = 14
  const slot = (width - left - right) / Math.max(1, columns.length)
  const bar = Math.min(46, Math.max(2, slot - 6))
  const yOf = (value: number) => topPx + plotPx * (1 - value / top)
  const xOf = (index: number) => left + slot * (index + 0.5)
  const widest = Math.max(...columns.map(({ name }) => name.length)) * letterPx + 8
  const every = Math.max(1, Math.ceil(widest / slot))
  return (
    <Panel {...frame} said={said}>
      <div ref={box}>
        <svg
          role="group"
          aria-label={`${frame.title}: ${frame.note}`}
          width={width}
          height={topPx + plotPx + bottomPx}
          onKeyDown={onKeyDown}
        >
          <g aria-hidden="true">
            {ticks.map((tick) => (
              <g key={tick}>
                <line
                  className={tick === 0 ? 'axis zero' : 'axis'}
                  x1={left}
                  x2={width - right}
                  y1={yOf(tick)}
                  y2={yOf(tick)}
                />
                <text className="tick" x={left - 6} y={yOf(tick) + 4} textAnchor="end">
                  {write(tick)}
                </text>
              </g>
            ))}
            {columns.map(({ key, name }, index) =>
              (columns.length - 1 - index) % every === 0 ? (
                <text key={key} className="tick" x={xOf(index)} y={topPx + plotPx + 15} textAnchor="middle">
                  {name}
                </text>
              ) : null,
            )}
            {shape === 'line' ? (
              <polyline
                className="chart-line"
                points={columns.map(({ value }, index) => `${xOf(index)},${yOf(value)}`).join(' ')}
              />
            ) : null}
          </g>
          {columns.map(({ key, value }, index) => (
            <g key={key} {...give(index)}>
              {/* What can be pointed at is as high as the chart. */}
              <rect className="reach" x={xOf(index) - slot / 2} y={topPx} width={slot} height={plotPx} />
              {shape === 'line' ? (
                <circle className="dot" cx={xOf(index)} cy={yOf(value)} r={value === 0 ? 2 : 3.5} />
              ) : (
                <rect
                  className="bar accent"
                  x={xOf(index) - bar / 2}
                  y={yOf(value)}
                  width={bar}
                  height={topPx + plotPx - yOf(value)}
                  rx={Math.min(3, bar / 4)}
                />
              )}
              {value > 0 && shape === 'columns' && write(value).length * letterPx < slot ? (
                <text className="value" x={xOf(index)} y={yOf(value) - 4} textAnchor="middle">
                  {write(value)}
                </text>
              ) : null}
            </g>
          ))}
        </svg>
      </div>
    </Panel>
  )
}

const rowPx = 40
const barPx = 17

/** One bar for each row, on one scale; with `whole`, each as long as there is room, to compare shares. */
export function Rows({ rows, whole = false, ...frame }: Frame & { rows: readonly Row[]; whole?: boolean }) {
  const { box, width } = useWidth()
  const { said, onKeyDown, give } = useChosen(rows)
  const clip = useId()
  const sums = rows.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0))
  const most = Math.max(...sums, 0)
  return (
    <Panel {...frame} said={said}>
      <div ref={box}>
        <svg
          role="group"
          aria-label={`${frame.title}: ${frame.note}`}
          width={width}
          height={rows.length * rowPx}
          onKeyDown={onKeyDown}
        >
          {rows.map(({ key, name, parts, sum }, index) => {
            const total = sums[index] ?? 0
            const scale = total === 0 ? 0 : width / (whole ? total : most)
            let x = 0.5
            return (
              <g key={key} {...give(index)} transform={`translate(0 ${index * rowPx})`}>
                <rect className="reach" width={width} height={rowPx} />
                <clipPath id={`${clip}${index}`}>
                  <rect width={Math.max(40, width - sum.length * letterPx - 14)} height={18} />
                </clipPath>
                <text className="row-name" y={13} clipPath={`url(#${clip}${index})`}>
                  {visible(name)}
                </text>
                <text className="tick" x={width} y={13} textAnchor="end">
                  {sum}
                </text>
                {total === 0 ? (
                  <line className="axis" x1={0} x2={width} y1={18 + barPx / 2} y2={18 + barPx / 2} />
                ) : null}
                {parts.map(({ fill, value, label }) => {
                  const long = Math.max(0, value * scale - 2)
                  const at = x
                  x += value * scale
                  return value === 0 ? null : (
                    <g key={fill}>
                      <rect className={`bar ${fill}`} x={at} y={18} width={long} height={barPx} rx={3} />
                      {label.length * letterPx + 6 < long ? (
                        <text className={`label ${fill}`} x={at + 5} y={30.5}>
                          {label}
                        </text>
                      ) : null}
                    </g>
                  )
                })}
              </g>
            )
          })}
        </svg>
      </div>
    </Panel>
  )
}
