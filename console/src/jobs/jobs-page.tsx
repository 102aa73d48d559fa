/** All export jobs of the place, with their health at a glance. */
import { memo, useEffect, useMemo, useState } from 'react'
import { logexport } from '../../../src/contract/index.ts'
import { useAnswer } from '../asking.ts'
import { ago, bytes, count, counted, when } from '../format.ts'
import { Sparkline } from '../parts/charts.tsx'
import { Icon } from '../parts/icon.tsx'
import { Problem } from '../parts/notice.tsx'
import { Badge, Empty, Loading, Page } from '../parts/page.tsx'
import { useOnceSeen } from '../parts/seen.ts'
import { Link } from '../router.tsx'
import { useSession } from '../session.tsx'
import { healthOf, type Job, nameOf, placeWords, windowsOf } from './job.ts'

export function JobsPage() {
  const { client, scope, at, place } = useSession()
  const jobs = useAnswer((signal) => client.call(logexport.listJobs, { scope, signal }), [scope], 5_000)
  const [search, setSearch] = useState('')
  const found = useMemo(() => (jobs.value ?? []).filter((job) => isAbout(job, search)), [jobs.value, search])
  const beat = Math.floor(Date.now() / beatMs)
  const states = useMemo(() => tally(jobs.value ?? []), [jobs.value])

  return (
    <Page
      title="Export jobs"
      says={`Each job carries one dataset of ${place.name} to one destination, window by window.`}
      actions={
        <Link className="link-button" to={at('jobs', 'new')}>
          <Icon name="plus" /> New job
        </Link>
      }
    >
      <Problem error={jobs.error} onRetry={jobs.again} />
      {!jobs.value && !jobs.error && <Loading what="jobs" />}
      {jobs.value?.length === 0 && (
        <div className="card">
          <Empty title="No export jobs yet">
            <p>A job sends records to a bucket, a collector or a directory as they come in.</p>
            <Link to={at('jobs', 'new')}>Make the first one</Link>
          </Empty>
        </div>
      )}
      {jobs.value && jobs.value.length > 0 && (
        <>
          <div className="row spread">
            <input
              type="search"
              className="search"
              aria-label="Find jobs"
              placeholder="Find by name, dataset or destination"
              value={search}
              onChange={(event) => setSearch(event.target.value)}
            />
            <p className="row" aria-live="polite">
              {states.map(({ word, tone, jobs: many }) => (
                <Badge key={word} tone={tone}>
                  {many} {word.toLowerCase()}
                </Badge>
              ))}
            </p>
          </div>
          <section className="jobs" aria-label="Export jobs">
            <table>
              <thead>
                <tr className="jobs-row head">
                  {['Job', 'State', 'Complete up to', 'Rows', 'Bytes', 'Last error'].map((name) => (
                    <th key={name} scope="col">
                      {name}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {found.map((job) => (
                  <JobRow key={job.id} job={job} to={at('jobs', String(job.id))} beat={beat} />
                ))}
              </tbody>
            </table>
          </section>
          {found.length === 0 && <Empty title={`No job is about “${search}”.`} />}
        </>
      )}
    </Page>
  )
}

const isAbout = (job: Job, search: string): boolean =>
  search === '' ||
  `${nameOf(job)} ${job.id} ${job.dataset} ${placeWords(job.destination_conf)}`
    .toLowerCase()
    .includes(search.toLowerCase())

function tally(jobs: readonly Job[]) {
  const groups = Map.groupBy(jobs, (job) => healthOf(job).word)
  return [...groups].map(([word, members]) => ({
    word,
    tone: members[0] ? healthOf(members[0]).tone : 'calm',
    jobs: members.length,
  }))
}

/** Rows are drawn again when their job changed, or on a beat that is slow enough for a thousand of them. */
type JobRowProps = { readonly job: Job; readonly to: string; readonly beat: number }

const beatMs = 15_000

const JobRow = memo(
  function JobRow({ job, to }: JobRowProps) {
    const health = healthOf(job)
    return (
      <tr className="jobs-row">
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
        <td className="numeric" title={job.last_complete ? when(job.last_complete) : undefined}>
          {job.last_complete ? ago(job.last_complete) : 'not yet'}
        </td>
        <RecentWindows job={job} />
        <td className={health.tone === 'bad' || health.tone === 'warn' ? 'job-error' : 'soft'}>
          {health.tone === 'bad' || health.tone === 'warn' ? health.says : '–'}
        </td>
      </tr>
    )
  },
  (before, after) =>
    before.to === after.to && before.beat === after.beat && JSON.stringify(before.job) === JSON.stringify(after.job),
)

/** Asks for deliveries only when the row has come into view, and again only when another window is complete. */
function RecentWindows({ job }: { readonly job: Job }) {
  const { client, scope } = useSession()
  const [place, isSeen] = useOnceSeen<HTMLTableCellElement>()
  const deliveries = useAnswer(
    async (signal) =>
      isSeen
        ? client.call(logexport.listDeliveries, { scope, params: { job_id: job.id }, query: { per_page: 40 }, signal })
        : [],
    [job.id, isSeen],
  )
  const { again } = deliveries
  useEffect(() => {
    if (job.last_complete !== null) again()
  }, [job.last_complete, again])
  const windows = windowsOf(deliveries.value ?? []).slice(-24)
  const newest = windows.at(-1)
  const over = counted(windows.length, 'window')
  return (
    <>
      <td className="spark" ref={place}>
        {newest && (
          <>
            <Sparkline
              values={windows.map(({ rows }) => rows)}
              label={`Rows in the last ${over}; ${count(newest.rows)} in the newest`}
            />
            <span className="numeric">{count(newest.rows)}</span>
          </>
        )}
      </td>
      <td className="spark">
        {newest && (
          <>
            <Sparkline
              kind="line"
              values={windows.map((window) => window.bytes)}
              label={`Bytes in the last ${over}; ${bytes(newest.bytes)} in the newest`}
            />
            <span className="numeric">{bytes(newest.bytes)}</span>
          </>
        )}
      </td>
    </>
  )
}
