/** Insights: how many rounds work takes, pass rates, how often people overrule the checker, and costs. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Spent, Stats } from '../api/insights.ts'
import { insightsQuery } from '../api/insights.ts'
import { storiesQuery } from '../api/queries.ts'
import type { Column, Row } from '../parts/chart.tsx'
import { Columns, Rows } from '../parts/chart.tsx'
import { useTitle } from '../parts/layout.tsx'
import { Command, Empty, Loading, ProblemNote } from '../parts/problem.tsx'
import { visible } from '../parts/text.tsx'
import { duration } from '../parts/time.tsx'
import { insightsRoute } from '../router.tsx'
import '../styles/insights.css'
import { byDay, byStory, dayName, usd } from './insights-data.ts'

export function InsightsPage() {
  useTitle('Insights')
  const { story } = insightsRoute.useSearch()
  const navigate = useNavigate()
  const stories = useQuery(storiesQuery).data ?? []
  const { data, error, refetch } = useQuery(insightsQuery(story))
  const names = new Map(stories.map(({ id, name }) => [id, name]))
  return (
    <>
      <header className="page-head">
        <h1>Insights</h1>
        <div className="filters">
          <label>
            <span className="sr-only">Story</span>
            <select
              value={story ?? ''}
              onChange={(event) =>
                void navigate({ to: '/insights', search: { story: event.target.value || undefined }, replace: true })
              }
            >
              <option value="">Story: all</option>
              {stories.map(({ id, name }) => (
                <option key={id} value={id}>
                  {visible(name)}
                </option>
              ))}
            </select>
          </label>
        </div>
      </header>
      {error !== null ? (
        <ProblemNote error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading what="the figures" />
      ) : data.stats.rounds.tasks === 0 && data.spent.total.runs === 0 ? (
        <Empty title="No data yet">
          <p>
            When tasks have ended, this page shows how many rounds they took, which verdicts they got, and what they
            cost.
          </p>
          <p>
            <Command>muster run plan.yaml</Command>
          </p>
        </Empty>
      ) : (
        <>
          <Figures {...data} />
          <div className="charts">
            <RoundsChart {...data} />
            <VerdictsChart {...data} />
            <DayCharts {...data} />
            <OverruledChart {...data} />
            {story === undefined ? <StoryCharts {...data} names={names} /> : null}
          </div>
        </>
      )}
    </>
  )
}

const percent = (part: number, of: number): string => (of === 0 ? '–' : `${Math.round((part / of) * 100)} %`)
const tasksText = (count: number): string => (count === 1 ? '1 task' : `${count} tasks`)
const runsText = (count: number): string => (count === 1 ? '1 run' : `${count} runs`)

function Figures({ stats, spent }: { stats: Stats; spent: Spent }) {
  const { rounds, overruled } = stats
  const { total } = spent
  const figures: [string, string, string][] = [
    ['Finished tasks', String(rounds.tasks), `${percent(rounds.none, rounds.tasks)} never sent back`],
    ['Rounds on average', rounds.mean?.toFixed(1) ?? '–', rounds.max === null ? '' : `at most ${rounds.max}`],
    ['Checker overruled', String(overruled.pass.overruled + overruled.fail.overruled), 'by a person'],
    ['Cost', total.usd === null ? 'not known' : usd(total.usd), total.partial ? 'some runs did not report it' : ''],
    ['Time of agents', duration(total.workMs), runsText(total.runs)],
  ]
  return (
    <dl className="figures">
      {figures.map(([name, value, more]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="num">
            {value} {more === '' ? null : <small>{more}</small>}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function RoundsChart({ stats: { rounds } }: { stats: Stats }) {
  const counts = new Map(rounds.by.map((line) => [line.rounds, line.tasks]))
  const last = Math.max(3, rounds.max ?? 0)
  const columns = Array.from({ length: last + 1 }, (_, round): Column => {
    const value = counts.get(round) ?? 0
    const times = round === 0 ? 'never sent back' : round === 1 ? 'sent back once' : `sent back ${round} times`
    return { key: String(round), name: String(round), value, said: `${times}: ${tasksText(value)}` }
  })
  const most = Math.max(1, ...columns.map(({ value }) => value))
  return (
    <Columns
      title="Rounds per task"
      note="how often finished tasks were sent back"
      columns={columns}
      write={(value) => String(value)}
      {...(most < 4 ? { ticks: Array.from({ length: most + 1 }, (_, tick) => tick) } : {})}
      head={['Rounds', 'Tasks']}
      cells={columns.map(({ name, value }) => [name, String(value)])}
    />
  )
}

/** Who writes first, then what Muster saw, then who judges. */
function VerdictsChart({ stats: { verdicts, judges } }: { stats: Stats }) {
  const judging = new Set(judges.map(({ role }) => role))
  const place = (role: string) => (judging.has(role) ? 2 : role === 'verification' ? 1 : 0)
  const ordered = verdicts.toSorted((a, b) => place(a.role) - place(b.role))
  const nameOf = ({ role, program }: Stats['verdicts'][number]) =>
    program === null || program === 'command' ? role : `${role} · ${program}`
  const rows = ordered.map((line): Row => {
    const { PASS, WARN, FAIL, ERROR } = line
    const told = PASS + WARN + FAIL
    const name = nameOf(line)
    const sum = `${percent(PASS + WARN, told)} of ${told} passed`
    return {
      key: `${line.role} ${line.program}`,
      name,
      sum,
      said: `${name}: ${PASS} passed, ${WARN} with warnings, ${FAIL} failed, ${ERROR} could not tell; ${sum}`,
      parts: [
        { fill: 'good', value: PASS, label: `✓ ${PASS}` },
        { fill: 'warn', value: WARN, label: `△ ${WARN}` },
        { fill: 'bad', value: FAIL, label: `✗ ${FAIL}` },
        { fill: 'plain', value: ERROR, label: `! ${ERROR}` },
      ],
    }
  })
  return (
    <Rows
      whole
      title="Pass rate by agent and role"
      note="✓ passed  △ with warnings  ✗ failed  ! could not tell"
      rows={rows}
      head={['Role and agent', 'Passed', 'Warnings', 'Failed', 'Could not tell', 'Rate']}
      cells={ordered.map((line) => {
        const { PASS, WARN, FAIL, ERROR } = line
        return [nameOf(line), ...[PASS, WARN, FAIL, ERROR].map(String), percent(PASS + WARN, PASS + WARN + FAIL)]
      })}
    />
  )
}

function OverruledChart({ stats: { overruled } }: { stats: Stats }) {
  const { pass, fail } = overruled
  const lines = [
    { name: 'PASS', ...pass, verb: 'sent back', fill: 'good' as const, icon: '✓' },
    { name: 'FAIL', ...fail, verb: 'accepted', fill: 'bad' as const, icon: '✗' },
  ]
  const rows = lines.map(({ name, verdicts, overruled: over, verb, fill, icon }): Row => {
    const sum = `${over} of ${verdicts} ${verb}`
    const said = `The checker said ${name} ${verdicts} times; a person ${verb} ${over} of them (${percent(over, verdicts)})`
    const parts = [
      { fill, value: verdicts - over, label: `${icon} stood ${verdicts - over}` },
      { fill: 'warn' as const, value: over, label: `~ ${verb} ${over}` },
    ]
    return { key: name, name: `Checker said ${name}`, sum, said, parts }
  })
  return (
    <Rows
      whole
      title="Overrides of checkers"
      note="how often a person overruled the checker: ~"
      rows={rows}
      head={['Checker said', 'Times', 'Overruled', 'Rate']}
      cells={lines.map(({ name, verdicts, overruled: over }) => [
        name,
        String(verdicts),
        String(over),
        percent(over, verdicts),
      ])}
    />
  )
}

function DayCharts({ spent }: { spent: Spent }) {
  const { days, left } = byDay(spent.lines)
  const since = left === 0 ? '' : `; ${left} earlier days are in the table of muster cost`
  const points = (valueOf: (day: (typeof days)[number]) => number, say: (day: (typeof days)[number]) => string) =>
    days.map((day): Column => ({ key: day.day, name: dayName(day.day), value: valueOf(day), said: say(day) }))
  const cells = days.map(({ day, usd: cost, workMs, runs }) => [
    dayName(day),
    cost === null ? 'not known' : usd(cost),
    duration(workMs),
    String(runs),
  ])
  const head = ['Day (UTC)', 'Cost', 'Time', 'Runs']
  const minutes = days.map(({ workMs }) => workMs / 60_000)
  const hourly = Math.max(...minutes, 0) >= 120
  return (
    <>
      <Columns
        title="Cost by day"
        note={spent.total.usd === null ? 'no run reported its cost' : `the reported cost of runs, in dollars${since}`}
        columns={points(
          (day) => day.usd ?? 0,
          ({ day, usd: cost, runs }) =>
            `${dayName(day)}: ${cost === null ? 'cost not known' : usd(cost)}, ${runsText(runs)}`,
        )}
        write={usd}
        head={head}
        cells={cells}
      />
      <Columns
        title="Time by day"
        shape="line"
        note={`how long agents worked, in ${hourly ? 'hours' : 'minutes'}${since}`}
        columns={points(
          ({ workMs }) => workMs / (hourly ? 3_600_000 : 60_000),
          ({ day, workMs, runs }) => `${dayName(day)}: ${duration(workMs)}, ${runsText(runs)}`,
        )}
        write={(value) => `${Number(value.toFixed(2))}${hourly ? 'h' : 'm'}`}
        head={head}
        cells={cells}
      />
    </>
  )
}

function StoryCharts({ spent, names }: { spent: Spent; names: ReadonlyMap<string, string> }) {
  const { stories, left } = byStory(spent.lines, names)
  const more = left === 0 ? '' : `; the ${left} smallest are not shown`
  const head = ['Story', 'Cost', 'Time', 'Runs']
  const costOf = (cost: number | null) => (cost === null ? 'not known' : usd(cost))
  const cells = stories.map(({ name, usd: cost, workMs, runs }) => [name, costOf(cost), duration(workMs), String(runs)])
  const rows = (by: 'usd' | 'workMs') =>
    stories
      .toSorted((a, b) => (b[by] ?? 0) - (a[by] ?? 0))
      .map((story): Row => {
        const sum = by === 'usd' ? costOf(story.usd) : duration(story.workMs)
        const said = `${story.name}: ${costOf(story.usd)}, ${duration(story.workMs)}, ${runsText(story.runs)}`
        return {
          key: story.id,
          name: story.name,
          sum,
          said,
          parts: [{ fill: 'accent', value: story[by] ?? 0, label: '' }],
        }
      })
  return (
    <>
      <Rows
        title="Cost by story"
        note={spent.total.usd === null ? 'no run reported its cost' : `in dollars${more}`}
        rows={rows('usd')}
        head={head}
        cells={cells}
      />
      <Rows
        title="Time by story"
        note={`how long agents worked${more}`}
        rows={rows('workMs')}
        head={head}
        cells={cells}
      />
    </>
  )
}
