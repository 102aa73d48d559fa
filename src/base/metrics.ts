/** The catalogue of metrics: every name, its help and its labels, in one list that the reference page is made from. */
import { statfsSync } from 'node:fs'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export type Metrics = ReturnType<typeof makeMetrics>

export function makeMetrics() {
  const registry = new Registry()
  const counter = <L extends string = never>(name: string, help: string, labels: readonly L[] = []) =>
    new Counter<L>({ name, help, labelNames: labels, registers: [registry] })
  const gauge = <L extends string = never>(name: string, help: string, labels: readonly L[] = []) =>
    new Gauge<L>({ name, help, labelNames: labels, registers: [registry] })
  const seconds = <L extends string = never>(name: string, help: string, labels: readonly L[], buckets: number[]) =>
    new Histogram<L>({ name, help, labelNames: labels, buckets, registers: [registry] })

  let watched: string | undefined
  new Gauge({
    name: 'spillway_disk_free_bytes',
    help: 'Room left on the disk of the data directory, looked at when somebody asks.',
    registers: [registry],
    collect() {
      if (watched === undefined) return
      const { bavail, bsize } = statfsSync(watched)
      this.set(bavail * bsize)
    },
  })

  return {
    registry,
    /** Process metrics (CPU, memory, event loop); apart, because they hold timers that tests of parts do not want. */
    watchProcess: () => collectDefaultMetrics({ register: registry }),
    info: gauge('spillway_info', 'Always 1; its labels say which version runs, in which roles.', ['version', 'roles']),
    /** Says from now on how much room the disk of this directory has. */
    watchDisk: (directory: string) => {
      watched = directory
    },
    requests: counter('spillway_http_requests_total', 'Answered requests by operation and status.', [
      'operation',
      'status',
    ]),
    requestSeconds: seconds(
      'spillway_http_request_seconds',
      'Time to answer a request, by operation.',
      ['operation'],
      [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    ),
    requestsInFlight: gauge('spillway_http_requests_in_flight', 'Requests being answered now.'),
    rateLimited: counter('spillway_http_rate_limited_total', 'Requests refused with 429.'),
    decisions: counter('spillway_edge_decisions_total', 'Requests decided for an edge, by what became of them.', [
      'outcome',
    ]),
    decisionFailures: counter(
      'spillway_edge_failures_total',
      'Decisions that could not be made from the rules in force, by what was done instead: open, closed, or the last known rules.',
      ['instead'],
    ),
    edgeDoubts: counter(
      'spillway_edge_doubts_total',
      'Questions of an edge whose facts were not believed: an untrusted peer, headers that contradict each other, no address.',
      ['reason'],
    ),
    edgeEvents: counter('spillway_edge_events_total', 'Firewall events of decisions, by what became of them.', [
      'outcome',
    ]),
    receivedRecords: counter(
      'spillway_received_records_total',
      'Records sent in, by dataset: accepted ones are durable, rejected ones did not fit. A repeat under its key counts again.',
      ['dataset', 'outcome'],
    ),
    receivedBytes: counter(
      'spillway_received_bytes_total',
      'Bytes of records sent in, unpacked, by dataset; whatever became of them.',
      ['dataset'],
    ),
    recordsLost: counter(
      'spillway_records_lost_total',
      'Records dropped at the disk ceiling before every job had exported them.',
      ['dataset'],
    ),
    watermarkAge: gauge('spillway_watermark_age_seconds', 'How far the watermark is behind the clock.'),
    spoolBytes: gauge('spillway_spool_bytes', 'Parts on disk that are being made or sent.'),
    jobsBehind: gauge('spillway_jobs_behind', 'Enabled jobs that owe records older than three of their intervals.'),
    jobLag: gauge('spillway_job_lag_seconds', 'How far the jobs that are most behind are behind, at most 50 of them.', [
      // Not `job`: Prometheus calls by that name what it scrapes.
      'job_id',
    ]),
    scheduling: gauge(
      'spillway_scheduling',
      '1 while jobs are scheduled, 0 while the list of jobs cannot be believed.',
    ),
    deliveries: counter('spillway_deliveries_total', 'Attempts to deliver a part, by destination kind and outcome.', [
      'kind',
      'outcome',
    ]),
    deliveredBytes: counter('spillway_delivered_bytes_total', 'Compressed bytes delivered, by destination kind.', [
      'kind',
    ]),
    deliveredRows: counter('spillway_delivered_rows_total', 'Records delivered, by destination kind.', ['kind']),
  }
}
