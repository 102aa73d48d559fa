/** One job: how it goes, what it delivered, and everything that can be done to it. */
import { useState } from 'react'
import { type Envelope, logexport } from '../../../src/contract/index.ts'
import { useAction, useAnswer } from '../asking.ts'
import { ago, bytes, count, counted, duration, when } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { BarChart } from '../parts/charts.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { Fold } from '../parts/fold.tsx'
import { Notice, Problem } from '../parts/notice.tsx'
import { Badge, Card, Figure, Loading, Page } from '../parts/page.tsx'
import { go, Link } from '../router.tsx'
import { useSession } from '../session.tsx'
import { Backfill } from './backfill.tsx'
import { EditJob } from './edit-job.tsx'
import { Gaps } from './gaps.tsx'
import { type Delivery, healthOf, type Job, nameOf, placeWords, type Status, windowsOf } from './job.ts'
import { Ledger } from './ledger.tsx'
import { perPage } from './older.ts'
import { mayBeSigned, Signing } from './signing.tsx'

const pollMs = 2_500

export function JobPage({ id }: { readonly id: number }) {
  const { client, scope, at } = useSession()
  const call = { scope, params: { job_id: id } }
  const job = useAnswer((signal) => client.call(logexport.viewJob, { ...call, signal }), [scope, id], pollMs)
  const deliveries = useAnswer(
    (signal) => client.ask(logexport.listDeliveries, { ...call, query: { per_page: perPage }, signal }),
    [scope, id],
    pollMs,
  )
  const status = useAnswer((signal) => client.call(logexport.jobStatus, { ...call, signal }), [scope, id], pollMs)
  if (!job.value)
    return (
      <Page title={`Job ${id}`}>
        {job.error ? <Problem error={job.error} onRetry={job.again} /> : <Loading what="the job" />}
        <Link to={at('jobs')}>All export jobs</Link>
      </Page>
    )
  return (
    <KnownJob job={job.value} error={job.error} newest={deliveries.value} status={status.value} again={job.again} />
  )
}

type KnownJobProps = {
  readonly job: Job
  readonly error: unknown
  readonly newest: Envelope<readonly Delivery[]> | undefined
  readonly status: Status | undefined
  again(): void
}

function KnownJob({ job, error, newest, status, again }: KnownJobProps) {
  const deliveries = newest?.result
  const { client, scope, at } = useSession()
  const [open, setOpen] = useState<'edit' | 'delete'>()
  const call = { scope, params: { job_id: job.id } }
  const health = healthOf(job)
  const pause = useAction(async () => {
    await client.call(logexport.updateJob, { ...call, body: { enabled: !job.enabled } })
    again()
  })
  return (
    <Page
      title={nameOf(job)}
      heading={
        <>
          {nameOf(job)} <Badge tone={health.tone}>{health.word}</Badge>
        </>
      }
      says={
        <>
          {job.dataset} → <span className="mono">{placeWords(job.destination_conf)}</span>
        </>
      }
      actions={
        <>
          <Button onClick={() => setOpen(open === 'edit' ? undefined : 'edit')} isPressed={open === 'edit'}>
            Edit
          </Button>
          <Button isBusy={pause.isRunning} onClick={() => void pause.run()}>
            {job.enabled ? 'Pause' : 'Resume'}
          </Button>
          <Button tone="danger" onClick={() => setOpen('delete')}>
            Delete
          </Button>
        </>
      }
    >
      <Problem error={error} onRetry={again} />
      <Problem error={pause.error} />
      {(health.tone === 'bad' || health.tone === 'warn') && <Trouble job={job} />}
      {open === 'edit' && (
        <EditJob
          job={job}
          onDone={() => {
            setOpen(undefined)
            again()
          }}
          onClose={() => setOpen(undefined)}
        />
      )}
      <JobFigures job={job} status={status} deliveries={deliveries ?? []} />
      {deliveries && <Charts deliveries={deliveries} />}
      <div className="folds">
        <Fold title="Backfill" verb="Backfill a past range…">
          <Backfill job={job} status={status} />
        </Fold>
        <Fold title="Gaps" verb="Look for gaps…">
          <Gaps job={job} status={status} />
        </Fold>
        {mayBeSigned(job) && (
          <Fold title="Signing secrets" verb="Signing secrets…">
            <Signing job={job} />
          </Fold>
        )}
      </div>
      {newest ? <Ledger job={job.id} newest={newest} /> : <Loading what="deliveries" />}
      {open === 'delete' && (
        <Confirm
          title={`Delete ${nameOf(job)}?`}
          word={nameOf(job)}
          verb="Delete the job"
          onClose={() => setOpen(undefined)}
          act={async () => {
            await client.call(logexport.deleteJob, call)
            go(at('jobs'))
          }}
        >
          <p>
            The job stops at once, and its ledger of deliveries goes with it. Objects that it delivered stay where they
            are.
          </p>
        </Confirm>
      )}
    </Page>
  )
}

function Trouble({ job }: { readonly job: Job }) {
  return (
    <Notice tone={job.enabled ? 'warn' : 'bad'}>
      <p className="said">{job.error_message}</p>
      <p className="advice">
        {job.last_error && `Last tried ${ago(job.last_error)}. `}
        {job.enabled
          ? 'Nothing is lost: records wait in the store, and the service tries again by itself. If the destination or its credentials changed, edit the job.'
          : 'It failed for so long that the service stopped it. Correct the destination, then resume it; what it owes is exported first.'}
      </p>
    </Notice>
  )
}

type JobFiguresProps = {
  readonly job: Job
  readonly status: Status | undefined
  readonly deliveries: readonly Delivery[]
}

function JobFigures({ job, status, deliveries }: JobFiguresProps) {
  const done = deliveries.filter(({ outcome }) => outcome === 'delivered')
  const troubled = deliveries.length - done.length
  const sum = (of: (one: Delivery) => number) => done.reduce((total, one) => total + of(one), 0)
  const raw = sum((one) => one.raw_bytes)
  const packed = sum((one) => one.bytes)
  return (
    <dl className="figures">
      <Figure name="Behind" tone={status && status.failures > 0 ? 'warn' : 'calm'}>
        {status ? lagWords(status) : '…'}
        {status?.next_turn && <small> next turn {nextTurn(status.next_turn)}</small>}
      </Figure>
      <Figure name="Complete up to">
        {job.last_complete ? <span title={when(job.last_complete)}>{ago(job.last_complete)}</span> : 'not yet'}
      </Figure>
      <Figure name={`Rows in the last ${counted(deliveries.length, 'part')}`}>{count(sum((one) => one.rows))}</Figure>
      <Figure name="Bytes delivered">
        {bytes(packed)} {packed > 0 && <small>of {bytes(raw)} raw</small>}
      </Figure>
      <Figure name="Waiting or refused" tone={troubled > 0 ? 'warn' : 'calm'}>
        {counted(troubled, 'part')}
      </Figure>
    </dl>
  )
}

const lagWords = ({ lag_seconds: seconds }: Status): string => (seconds < 1 ? 'Up to date' : duration(seconds))

const nextTurn = (moment: string): string => {
  const seconds = (Date.parse(moment) - Date.now()) / 1000
  return seconds < 1 ? 'now' : `in ${duration(seconds)}`
}

function Charts({ deliveries }: { readonly deliveries: readonly Delivery[] }) {
  const windows = windowsOf(deliveries).slice(-60)
  if (windows.length === 0) return null
  const bars = (value: 'rows' | 'bytes') =>
    windows.map((window) => ({
      at: window.from,
      value: window[value],
      ...(window.isTroubled ? { tone: 'bad' as const } : {}),
    }))
  return (
    <div className="columns">
      <Card title="Rows per window">
        <BarChart bars={bars('rows')} label={`Rows in each of the last ${windows.length} windows`} say={count} />
      </Card>
      <Card title="Bytes per window">
        <BarChart bars={bars('bytes')} label={`Bytes in each of the last ${windows.length} windows`} say={bytes} />
      </Card>
    </div>
  )
}
