/** How the service itself is doing, from what it tells every monitor: readiness and metrics. */
import { useAnswer } from '../asking.ts'
import { bytes, count, duration } from '../format.ts'
import { Problem } from '../parts/notice.tsx'
import { Badge, Card, Figure, Loading, Page } from '../parts/page.tsx'
import { readMetrics, type Sample, sumOf } from './metrics.ts'

export function SystemPage() {
  const state = useAnswer(readState, [], 5_000)
  const { value, error } = state
  return (
    <Page title="System" says="What this node of the service says about itself, renewed every five seconds.">
      <Problem error={error} onRetry={state.again} />
      {!value && !error && <Loading what="the state of the service" />}
      {value && (
        <>
          <Figures samples={value.samples} isReady={value.waiting.length === 0} />
          {value.waiting.length > 0 && (
            <Card title="Not ready">
              <ul>
                {value.waiting.map(([part, why]) => (
                  <li key={part}>
                    <Badge tone="bad">{part}</Badge> {why}
                  </li>
                ))}
              </ul>
            </Card>
          )}
          <Behind samples={value.samples} />
          <Received samples={value.samples} />
          <Deliveries samples={value.samples} />
        </>
      )}
    </Page>
  )
}

async function readState(signal: AbortSignal) {
  const [ready, metrics] = await Promise.all([fetch('/readyz', { signal }), fetch('/metrics', { signal })])
  const { waiting = {} } = (await ready.json()) as { waiting?: Readonly<Record<string, string>> }
  return { waiting: Object.entries(waiting), samples: readMetrics(await metrics.text()) }
}

type FiguresProps = {
  readonly samples: readonly Sample[]
  readonly isReady: boolean
}

function Figures({ samples, isReady }: FiguresProps) {
  const sum = (name: string) => sumOf(samples, name)
  const info = samples.find(({ name }) => name === 'spillway_info')?.labels
  const started = sum('process_start_time_seconds')
  const lost = sum('spillway_records_lost_total')
  const behind = sum('spillway_jobs_behind')
  return (
    <dl className="figures">
      <Figure name="State" tone={isReady ? 'good' : 'bad'}>
        {isReady ? 'Ready' : 'Not ready'}
      </Figure>
      <Figure name="Version">{info?.version ?? '…'}</Figure>
      <Figure name="Roles of this node">{info?.roles?.split(',').join(', ') ?? '…'}</Figure>
      <Figure name="Running for">{started > 0 ? duration(Date.now() / 1000 - started) : '…'}</Figure>
      <Figure name="Watermark behind the clock">{duration(sum('spillway_watermark_age_seconds'))}</Figure>
      <Figure name="Scheduling" tone={sum('spillway_scheduling') === 1 ? 'good' : 'warn'}>
        {sum('spillway_scheduling') === 1 ? 'On' : 'Off'}
      </Figure>
      <Figure name="Jobs behind" tone={behind > 0 ? 'warn' : 'calm'}>
        {count(behind)}
      </Figure>
      <Figure name="Records lost at the disk ceiling" tone={lost > 0 ? 'bad' : 'calm'}>
        {count(lost)}
      </Figure>
      <Figure name="Room on the disk">{bytes(sum('spillway_disk_free_bytes'))}</Figure>
      <Figure name="Memory">{bytes(sum('process_resident_memory_bytes'))}</Figure>
      <Figure name="Requests answered">{count(sum('spillway_http_requests_total'))}</Figure>
      <Figure name="Refused for their rate">{count(sum('spillway_http_rate_limited_total'))}</Figure>
    </dl>
  )
}

function Behind({ samples }: { readonly samples: readonly Sample[] }) {
  const lags = samples.filter(({ name }) => name === 'spillway_job_lag_seconds').toSorted((a, b) => b.value - a.value)
  if (lags.length === 0) return null
  return (
    <Card title="Jobs that are behind">
      <table>
        <thead>
          <tr>
            <th>Job</th>
            <th className="number">Behind by</th>
          </tr>
        </thead>
        <tbody>
          {lags.map(({ labels, value }) => (
            <tr key={labels.job_id}>
              <td>{labels.job_id}</td>
              <td className="number">{duration(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  )
}

function Received({ samples }: { readonly samples: readonly Sample[] }) {
  const records = (dataset: string, outcome: string) =>
    count(sumOf(samples, 'spillway_received_records_total', { dataset, outcome }))
  return (
    <SinceStart
      title="Received since the start"
      heads={['Dataset', 'Accepted', 'Rejected', 'Bytes']}
      rows={valuesOf(samples, 'spillway_received_records_total', 'dataset').map((dataset) => [
        dataset,
        records(dataset, 'accepted'),
        records(dataset, 'rejected'),
        bytes(sumOf(samples, 'spillway_received_bytes_total', { dataset })),
      ])}
    />
  )
}

function Deliveries({ samples }: { readonly samples: readonly Sample[] }) {
  const attempts = (kind: string, outcome: string) =>
    count(sumOf(samples, 'spillway_deliveries_total', { kind, outcome }))
  return (
    <SinceStart
      title="Deliveries since the start"
      heads={['Destination', 'Delivered', 'To retry', 'Refused', 'Rows', 'Bytes']}
      rows={valuesOf(samples, 'spillway_deliveries_total', 'kind').map((kind) => [
        kind,
        attempts(kind, 'delivered'),
        attempts(kind, 'retry'),
        attempts(kind, 'refused'),
        count(sumOf(samples, 'spillway_delivered_rows_total', { kind })),
        bytes(sumOf(samples, 'spillway_delivered_bytes_total', { kind })),
      ])}
    />
  )
}

/** The values that a label of a metric has had, in the order they came. */
const valuesOf = (samples: readonly Sample[], metric: string, label: string): readonly string[] => [
  ...new Set(samples.filter(({ name }) => name === metric).map(({ labels }) => labels[label] ?? '')),
]

type SinceStartProps = {
  readonly title: string
  /** The first names the row, the others are figures. */
  readonly heads: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

function SinceStart({ title, heads, rows }: SinceStartProps) {
  const tone = (at: number) => (at === 0 ? undefined : 'number')
  return (
    <Card title={title}>
      {rows.length === 0 && <p className="soft">None yet.</p>}
      {rows.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        <section className="wide" aria-label={`${title}, in figures`} tabIndex={0}>
          <table>
            <thead>
              <tr>
                {heads.map((head, at) => (
                  <th key={head} className={tone(at)}>
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row[0]}>
                  {row.map((cell, at) => (
                    <td key={heads[at]} className={tone(at)}>
                      {cell}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </Card>
  )
}
