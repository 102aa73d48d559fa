/** All export jobs of the place, with their health at a glance. */

import { useMemo, useState } from 'react'
import { logexport } from '../../../src/contract/index.ts'
import { useAnswer } from '../asking.ts'
import { Icon } from '../parts/icon.tsx'
import { Problem } from '../parts/notice.tsx'
import { Badge, Empty, Loading, Page } from '../parts/page.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { Link } from '../router.tsx'
import { useSession } from '../session.tsx'
import { healthOf, type Job, nameOf, placeWords } from './job.ts'
import { JobTable } from './job-table.tsx'

export function JobsPage() {
  const { client, scope, at, place } = useSession()
  const jobs = useAnswer((signal) => client.call(logexport.listJobs, { scope, signal }), [scope], 5_000)
  const statuses = useAnswer((signal) => client.call(logexport.listJobStatuses, { scope, signal }), [scope], 5_000)
  const lags = useMemo(
    () => statuses.value && new Map(statuses.value.map(({ id, lag_seconds }) => [id, lag_seconds])),
    [statuses.value],
  )
  const [search, setSearch] = useState('')
  const found = useMemo(() => (jobs.value ?? []).filter((job) => isAbout(job, search)), [jobs.value, search])
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
            <SearchField
              label="Find jobs"
              hint="Find by name, dataset or destination"
              value={search}
              onSearch={setSearch}
            />
            <p className="row" aria-live="polite">
              {states.map(({ word, tone, jobs: many }) => (
                <Badge key={word} tone={tone}>
                  {many} {word.toLowerCase()}
                </Badge>
              ))}
            </p>
          </div>
          <JobTable jobs={found} lags={lags} />
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
