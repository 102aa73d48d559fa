/** Watching jobs: how far behind each is, what it delivered, what is missing; and asking for a range again. */
import { setTimeout as wait } from 'node:timers/promises'
import { type Client, logexport, type ResultOf, type ScopeRef } from '../../contract/index.ts'
import { command, type Terminal, UsageError } from '../command.ts'
import { connect, connectFlags, scopeFlags } from '../connect.ts'
import { makeProgress } from '../progress.ts'
import { print, table } from '../table.ts'
import { jobId } from './jobs.ts'

type Status = ResultOf<typeof logexport.jobStatus>
type Delivery = ResultOf<typeof logexport.listDeliveries>[number]

const flags = { ...connectFlags, ...scopeFlags }
const rangeFlags = {
  start: {
    type: 'string',
    value: '<time>',
    says: 'Begin of the range of received time, such as 2026-11-15T00:00:00Z.',
  },
  end: { type: 'string', value: '<time>', says: 'End of the range, not included.' },
} as const

function rangeOf({ start, end }: { readonly start?: string; readonly end?: string }): { start: string; end: string } {
  if (!start || !end) throw new UsageError('say --start and --end')
  return { start, end }
}

export const jobStatusCommands = [
  command({
    name: 'jobs status',
    says: 'How far behind jobs are, what is under way, and what went wrong; all jobs of the scope, or one.',
    takes: '[id]',
    flags: { ...flags, watch: { type: 'boolean', short: 'w', says: 'Show it again every second until Ctrl-C.' } },
    async run(terminal, given, [id]) {
      const { client, scope } = connect(given)
      const look = async () => statuses(client, await scope(), id)
      if (!given.watch) {
        const found = await look()
        print(terminal, given, found, () => statusTable(terminal, found))
        return 0
      }
      while (!terminal.signal.aborted) {
        const found = await look()
        const text = given.json ? JSON.stringify(found) : statusTable(terminal, found)
        // Home and clear below: what stood there is written over without a flicker.
        terminal.out(terminal.isTerminal && !given.json ? `\u001b[H\u001b[J${text}` : text)
        await wait(1000, undefined, { signal: terminal.signal }).catch(() => undefined)
      }
      return 0
    },
  }),
  command({
    name: 'jobs deliveries',
    says: 'What a job delivered and how it went, newest first.',
    takes: '<id>',
    flags: { ...flags, limit: { type: 'string', value: '<n>', says: 'How many; 20 unless told.' } },
    async run(terminal, given, [id]) {
      const { client, scope } = connect(given)
      const most = Number(given.limit ?? 20)
      if (!Number.isInteger(most) || most < 1) throw new UsageError('--limit is not a number of deliveries')
      const place = await scope()
      const found: Delivery[] = []
      const query = { per_page: Math.min(most, 1000) }
      for await (const one of client.all(logexport.listDeliveries, { scope: place, params: jobId(id), query })) {
        found.push(one)
        if (found.length === most) break
      }
      print(terminal, given, found, () =>
        table(
          terminal,
          ['from', 'to', 'part', 'rows', 'bytes', 'tries', 'outcome', 'object'],
          found.map((one) => [
            one.window.from.slice(0, 19),
            one.window.to.slice(0, 19),
            String(one.part),
            String(one.rows),
            String(one.bytes),
            String(one.attempts),
            one.reason ? `${one.outcome}: ${one.reason}` : one.outcome,
            one.object,
          ]),
        ),
      )
      return 0
    },
  }),
  command({
    name: 'jobs backfill',
    says: 'Export a past range again; object stores end up with one copy.',
    takes: '<id>',
    flags: {
      ...flags,
      ...rangeFlags,
      cancel: { type: 'boolean', says: 'Take back what has not begun yet.' },
      wait: { type: 'boolean', says: 'Stay until all of it is exported.' },
    },
    async run(terminal, given, [id]) {
      const { client, scope } = connect(given)
      const call = { scope: await scope(), params: jobId(id) }
      if (given.cancel) {
        const gone = await client.call(logexport.cancelBackfill, call)
        print(terminal, given, gone, () => `${gone.cancelled} windows were taken back.`)
        return 0
      }
      const queued = await client.call(logexport.backfill, { ...call, body: rangeOf(given) })
      const isDone = given.wait === true && (await untilExported(terminal, client, call, queued.windows))
      print(terminal, given, queued, () =>
        isDone
          ? `${queued.windows} windows were exported again.`
          : `${queued.windows} windows wait; "spillway jobs status ${id}" shows them go.`,
      )
      return 0
    },
  }),
  command({
    name: 'jobs audit',
    says: 'Compare the stored records of a range with the receipts and the objects and name every gap; exit code 1 when there is one.',
    takes: '<id>',
    flags: { ...flags, ...rangeFlags, repair: { type: 'boolean', says: 'Export the gaps again, and only those.' } },
    async run(terminal, given, [id]) {
      const { client, scope } = connect(given)
      const body = { ...rangeOf(given), ...(given.repair ? { repair: true } : {}) }
      const found = await client.call(logexport.auditJob, { scope: await scope(), params: jobId(id), body })
      print(terminal, given, found, () => {
        const sum = [
          `${found.stored} records stored, ${found.delivered} delivered.`,
          ...sayObjects(found.objects),
        ].join('\n')
        if (found.complete) return `${sum}\nNothing is missing.`
        const gaps = table(
          terminal,
          ['from', 'to', 'stored', 'delivered'],
          found.gaps.map((gap) => [gap.from, gap.to, String(gap.stored), String(gap.delivered)]),
        )
        return [sum, gaps, ...(given.repair ? [`${found.repairing} windows are exported again.`] : [])].join('\n')
      })
      return found.complete || given.repair ? 0 : 1
    },
  }),
]

function sayObjects({
  looked,
  seen,
  missing,
  hidden,
  reason,
}: ResultOf<typeof logexport.auditJob>['objects']): string[] {
  return [
    ...(looked > 0 ? [`${seen} of ${looked} objects are there as they were written.`] : []),
    ...missing.map((name) => `gone or changed: ${name}`),
    ...(hidden > 0 ? [`${hidden} objects could not be looked at: ${reason}`] : []),
  ]
}

/** Shows how much is done until nothing waits any more; false when somebody had no more patience. */
async function untilExported(
  terminal: Terminal,
  client: Client,
  call: { readonly scope: ScopeRef; readonly params: { readonly job_id: number } },
  windows: number,
): Promise<boolean> {
  const progress = makeProgress(terminal)
  try {
    while (!terminal.signal.aborted) {
      const { waiting_windows, open_windows, error_message } = await client.call(logexport.jobStatus, call)
      const left = waiting_windows + open_windows
      if (left === 0) return true
      progress.show(
        `${left} windows left${error_message ? `, ${error_message}` : ''}`,
        1 - left / Math.max(windows, left),
      )
      await wait(500, undefined, { signal: terminal.signal }).catch(() => undefined)
    }
    return false
  } finally {
    progress.end()
  }
}

const statuses = async (client: Client, scope: ScopeRef, id: string | undefined): Promise<Status[]> =>
  id === undefined
    ? client.call(logexport.listJobStatuses, { scope })
    : [await client.call(logexport.jobStatus, { scope, params: jobId(id) })]

const statusTable = (terminal: Terminal, found: readonly Status[]): string =>
  table(
    terminal,
    ['job', 'state', 'behind', 'open', 'waiting', 'next turn', 'last delivery', 'error'],
    found.map((one) => [
      String(one.id),
      stateOf(one),
      one.lag_seconds === 0 ? '-' : `${one.lag_seconds.toFixed(1)} s`,
      String(one.open_windows),
      String(one.waiting_windows),
      (one.enabled && one.next_turn?.slice(11, 19)) || '-',
      one.last_delivery?.last_attempt?.slice(0, 19) ?? '-',
      one.error_message ?? '',
    ]),
  )

function stateOf({ enabled, failures, next_turn }: Status): string {
  if (!enabled) return 'off'
  if (failures > 0) return `failing (${failures})`
  return next_turn === null ? 'idle' : 'at work'
}
