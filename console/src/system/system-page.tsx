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

function Deliveries({ samples }: { readonly samples: readonly Sample[] }) {
  const kinds = [
    ...new Set(
      samples.filter(({ name }) => name === 'spillway_deliveries_total').map(({ labels }) => labels.kind ?? ''),
    ),
  ]
  const of = (name: string, labels: Readonly<Record<string, string>>) => sumOf(samples, name, labels)
  return (
    <Card title="Deliveries since the start">
      {kinds.length === 0 && <p className="soft">None yet.</p>}
      {kinds.length > 0 && (
        <table>
          <thead>
            <tr>
              <th>Destination</th>
              <th className="number">Delivered</th>
              <th className="number">To retry</th>
              <th className="number">Refused</th>
              <th className="number">Rows</th>
              <th className="number">Bytes</th>
            </tr>
          </thead>
          <tbody>
            {kinds.map((kind) => (
              <tr key={kind}>
                <td>{kind}</td>
                {['delivered', 'retry', 'refused'].map((outcome) => (
                  <td key={outcome} className="number">
                    {count(of('spillway_deliveries_total', { kind, outcome }))}
                  </td>
                ))}
                <td className="number">{count(of('spillway_delivered_rows_total', { kind }))}</td>
                <td className="number">{bytes(of('spillway_delivered_bytes_total', { kind }))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  )
}
