/** Jobs in rows, a thousand of them as smoothly as ten: how far behind, what was delivered lately, what went wrong. */
import { memo, useMemo, useRef } from 'react'
import { ago, bytes, count, counted, duration, when } from '../format.ts'
import { Sparkline } from '../parts/charts.tsx'
import { useLongList } from '../parts/long-list.ts'
import { Badge } from '../parts/page.tsx'
import { Link } from '../router.tsx'
import { useSession } from '../session.tsx'
import { healthOf, type Job, nameOf, placeWords } from './job.ts'
import { type Lately, type LatelyKnown, useLately } from './lately.ts'

const columns = ['Job', 'State', 'Behind', 'Complete up to', 'Rows', 'Bytes', 'Last error']

type JobTableProps = {
  readonly jobs: readonly Job[]
  /** Seconds behind, by the id of the job, once they are known. */
  readonly lags: ReadonlyMap<number, number> | undefined
}

export function JobTable({ jobs, lags }: JobTableProps) {
  const { at } = useSession()
  const keys = useMemo(() => jobs.map(({ id }) => String(id)), [jobs])
  const { place, pieces } = useLongList<HTMLTableSectionElement>({ keys, guessPx: 59 })
  const known = useRef<LatelyKnown>(new Map())
  const beat = Math.floor(Date.now() / beatMs)
  return (
    <section className="jobs" aria-label="Export jobs">
      <table aria-rowcount={jobs.length + 1}>
        <thead>
          <tr className="jobs-row head" aria-rowindex={1}>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={place}>
          {pieces.map((piece) => {
            if (piece.kind === 'room')
              // biome-ignore lint/a11y/noAriaHiddenOnFocusable: an empty row takes no focus.
              return <tr key={`room ${piece.before}`} data-room aria-hidden="true" style={{ height: piece.px }} />
            const job = jobs[piece.at]
            return (
              job && (
                <JobRow
                  key={job.id}
                  job={job}
                  behind={behindWords(job, lags?.get(job.id))}
                  index={piece.at + 2}
                  to={at('jobs', String(job.id))}
                  known={known.current}
                  beat={beat}
                />
              )
            )
          })}
        </tbody>
      </table>
    </section>
  )
}

/** Rows are drawn again when their job changed, or on a beat, so that “3 min ago” does not stay that. */
const beatMs = 15_000

type JobRowProps = {
  readonly job: Job
  readonly behind: string
  /** Its place in the whole table, which counts the head. */
  readonly index: number
  readonly to: string
  readonly known: LatelyKnown
  readonly beat: number
}

const JobRow = memo(
  function JobRow({ job, behind, index, to, known }: JobRowProps) {
    const health = healthOf(job)
    const lately = useLately(job, known)
    const isTroubled = health.tone === 'bad' || health.tone === 'warn'
    return (
      <tr className="jobs-row" data-row={job.id} aria-rowindex={index}>
        <td>
          <Link to={to} className="job-name">
            {nameOf(job)}
          </Link>
          <span className="job-place" title={placeWords(job.destination_conf)}>
            {job.dataset} → {placeWords(job.destination_conf)}
          </span>
        </td>
        <td>
          <Badge tone={health.tone}>{health.word}</Badge>
        </td>
        <td className={isTroubled ? 'numeric job-error' : 'numeric'}>{behind}</td>
        <td className="numeric" title={job.last_complete ? when(job.last_complete) : undefined}>
          {job.last_complete ? ago(job.last_complete) : 'not yet'}
        </td>
        <Sparklines lately={lately} />
        <td className={isTroubled ? 'job-error' : 'soft'}>{isTroubled ? health.says : '–'}</td>
      </tr>
    )
  },
  (before, after) =>
    before.to === after.to &&
    before.behind === after.behind &&
    before.index === after.index &&
    before.beat === after.beat &&
    JSON.stringify(before.job) === JSON.stringify(after.job),
)

function behindWords({ enabled }: Job, lagSeconds: number | undefined): string {
  if (!enabled) return '–'
  if (lagSeconds === undefined) return '…'
  return lagSeconds < 1 ? 'up to date' : duration(lagSeconds)
}

function Sparklines({ lately }: { readonly lately: Lately | undefined }) {
  const windows = lately ?? []
  const newest = windows.at(-1)
  const over = counted(windows.length, 'window')
  if (!newest)
    return (
      <>
        <td className="soft">{lately ? 'none' : '…'}</td>
        <td className="soft">{lately ? 'none' : '…'}</td>
      </>
    )
  return (
    <>
      <td className="spark">
        <Sparkline
          values={windows.map(({ rows }) => rows)}
          label={`Rows in the last ${over}; ${count(newest.rows)} in the newest`}
        />
        <span className="numeric">{count(newest.rows)}</span>
      </td>
      <td className="spark">
        <Sparkline
          kind="line"
          values={windows.map((window) => window.bytes)}
          label={`Bytes in the last ${over}; ${bytes(newest.bytes)} in the newest`}
        />
        <span className="numeric">{bytes(newest.bytes)}</span>
      </td>
    </>
  )
}
