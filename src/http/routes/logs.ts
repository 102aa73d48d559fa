/** Records in, records out. Log fetch speaks plain text where it refuses, as its clients expect. */
import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { type AccessNeeds, retentionFlag, setRetentionFlag } from '../../access/index.ts'
import { type Judged, type Metrics, type Nanos, problems, type Scope, sayReasons, second } from '../../base/index.ts'
import { logs as contract } from '../../contract/index.ts'
import { type Dataset, fieldList, judgeOptions } from '../../datasets/index.ts'
import { append, type InflateLimits, inflate, type LogNeeds, scan, scanRay } from '../../logs/index.ts'
import type { Bind, Raw } from '../bind.ts'
import { type FetchLimits, judgeFetch, tooRecent } from '../fetch.ts'

export type { FetchLimits } from '../fetch.ts'

export type LogRouteNeeds = {
  readonly access: AccessNeeds
  readonly logs: LogNeeds
  readonly metrics: Metrics
  readonly ingestLimits: InflateLimits
  readonly fetchLimits: FetchLimits
}

export function bindLogs(bind: Bind, { access, logs, metrics, ingestLimits, fetchLimits }: LogRouteNeeds): void {
  const datasetOf = (name: string, scope: Scope): Dataset => {
    const found = logs.datasets.find(name, scope.kind)
    if (!found) throw problems.datasetUnknown(name, scope.kind)
    return found
  }

  bind(contract.ingest, async ({ scope, params, body, headers }) => {
    const dataset = datasetOf(params.dataset, scope)
    const key = headers['idempotency-key']
    if (key !== undefined && (typeof key !== 'string' || key.length === 0 || key.length > 255)) {
      throw problems.malformedRequest('Idempotency-Key must be 1 to 255 characters')
    }
    const { name } = dataset
    const unpacked = inflate(body, headers['content-encoding'] ?? 'identity', ingestLimits)
    const bytes = counted(unpacked, (length) => metrics.receivedBytes.inc({ dataset: name }, length))
    const done = await append(logs, scope, dataset, bytes, key === undefined ? {} : { idempotencyKey: key })
    metrics.receivedRecords.inc({ dataset: name, outcome: 'accepted' }, done.accepted)
    metrics.receivedRecords.inc({ dataset: name, outcome: 'rejected' }, done.rejected)
    return {
      accepted: done.accepted,
      rejected: done.rejected,
      unknown_fields: { ...done.unknownFields },
      errors: done.errors.map(({ line, message }) => ({ line, message })),
    }
  })

  /** Packed by the store itself when the client takes gzip. */
  const answer = async (asked: Asking, open: (encoding: 'gzip' | 'identity') => Promise<Readable>): Promise<Raw> => {
    const encoding = /\bgzip\b/.test(String(asked.headers['accept-encoding'] ?? '')) ? 'gzip' : 'identity'
    const body = await open(encoding)
    if (encoding === 'gzip') asked.reply.header('content-encoding', 'gzip')
    asked.reply.header('vary', 'accept-encoding')
    return { type: 'application/x-ndjson', body }
  }

  const refusedBy = (asked: Asking, judged: Extract<Judged<unknown>, { ok: false }>): Raw =>
    plain(asked, sayReasons(judged.reasons))

  bind(contract.received, async (asked) => {
    const { scope, query, rawQuery, signal } = asked
    if (scope.kind === 'zone' && !(await retentionFlag(access, scope))) return plain(asked, notKept)
    const dataset = logs.datasets.find(query.dataset ?? 'http_requests', scope.kind)
    if (!dataset) return plain(asked, `bad query: ${problems.datasetUnknown(query.dataset ?? '', scope.kind).message}`)
    const fetch = judgeFetch(query, rawQuery, dataset, fetchLimits, logs.now())
    if (!fetch.ok) return refusedBy(asked, fetch)
    const { window, selection, count } = fetch.value
    if (!(await settled(logs, window.to, signal))) return plain(asked, `bad query: ${tooRecent(fetchLimits)}`)
    const limits = count === undefined ? {} : { count }
    return answer(asked, (encoding) => scan(logs, scope, dataset, window, selection, { ...limits, encoding, signal }))
  })

  bind(contract.receivedFields, ({ scope, query }) => {
    const fields = fieldList(datasetOf(query.dataset ?? 'http_requests', scope), 'all')
    return { type: 'application/json', body: JSON.stringify(fields) }
  })

  bind(contract.byRay, async (asked) => {
    const { scope, params, rawQuery, signal } = asked
    if (!(await retentionFlag(access, scope))) return plain(asked, notKept)
    const dataset = datasetOf('http_requests', scope)
    const options = judgeOptions(rawQuery, dataset)
    if (!options.ok) return plain(asked, `bad query: ${sayReasons(options.reasons)}`)
    // A trailing `-COLO` names the data centre, not the request.
    const ray = params.ray_id.replace(/-[A-Za-z]{3}$/, '')
    const to = logs.watermark.read()
    const window = { from: to - BigInt(fetchLimits.retentionDays) * 86_400n * second, to }
    return answer(asked, async (encoding) => {
      const found = await scanRay(logs, scope, dataset, ray, window, options.value, { encoding, signal })
      if (!found) throw problems.datasetUnknown('http_requests', scope.kind)
      return found
    })
  })

  bind(contract.retentionFlag, async ({ scope }) => ({ flag: await retentionFlag(access, scope) }))
  bind(contract.setRetentionFlag, ({ scope, body }, caller) => setRetentionFlag(access, caller, scope, body.flag))
}

/**
 * Waits a little for inserts under way: only behind the watermark does the same range give the same records twice. An
 * insert that hangs makes the range too recent.
 */
async function settled({ watermark }: LogNeeds, to: Nanos, signal: AbortSignal): Promise<boolean> {
  for (let waited = 0; watermark.read() < to; waited += 20) {
    if (waited >= 5_000 || signal.aborted) return false
    await wait(20)
  }
  return true
}

const notKept = 'Retention is not turned on. Please enable log retention'

type Asking = {
  readonly headers: Readonly<Record<string, unknown>>
  readonly reply: { header(name: string, value: string): void; status(code: number): void }
}

function plain(asked: Asking, why: string): Raw {
  asked.reply.status(400)
  return { type: 'text/plain; charset=utf-8', body: `${why}\n` }
}

async function* counted(body: AsyncIterable<Uint8Array>, count: (length: number) => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    count(chunk.length)
    yield chunk
  }
}
