/** A house that exports every second, to files and to an S3 behind a proxy that can be spoiled; and words for what journeys do. */
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { logexport, logs, type ResultOf } from '../../src/contract/index.ts'
import { type Chaos, startChaos } from '../endpoints/chaos.ts'
import { type S3, s3Keys, startS3, testAuthority } from '../endpoints/index.ts'
import type { HouseSettings } from '../house.ts'
import { type Draft, type Job, type JobHouse, startJobHouse } from './job-house.ts'

export type ExportHouse = JobHouse & {
  readonly chaos: Chaos
  readonly store: S3
  /** `bucket/key` to its bytes. */
  objects(prefix?: string): ReadonlyMap<string, Buffer>
  /** An enabled job to `s3://logs/<directory>`. */
  toS3(directory: string, fields?: Partial<Draft>): Promise<Job>
  /** An enabled job to `file:///<directory>`. */
  toFiles(directory: string, fields?: Partial<Draft>): Promise<Job>
  /** Takes in records with these ray ids. */
  send(...rays: readonly string[]): Promise<void>
  /** Ray ids in the files below a directory, object by object. */
  filed(directory: string): Promise<readonly string[][]>
  view(job: Job): Promise<Job>
  status(job: Job): Promise<ResultOf<typeof logexport.jobStatus>>
  deliveries(job: Job): Promise<ResultOf<typeof logexport.listDeliveries>>
}

export async function startExportHouse(settings: HouseSettings = {}): Promise<ExportHouse> {
  const s3 = await startS3()
  const chaos = await startChaos(s3)
  const house = await startJobHouse({
    ...settings,
    environment: { SPILLWAY_EXPORT_INTERVAL_SECONDS: '1', ...settings.environment },
    network: {
      allowedNetworks: ['127.0.0.0/8'],
      certificates: [testAuthority().cert],
      endpoints: { s3: new URL(`http://127.0.0.1:${chaos.port}`) },
      awsCredentials: async () => s3Keys,
      ...settings.network,
    },
  })
  const { client, zoneScope: scope } = house
  const objects = (prefix = '') =>
    new Map(
      [...s3.objects()]
        .filter(([name]) => name.startsWith(prefix) && !name.includes('ownership-challenge'))
        .map(([name, { body }]) => [name, body] as const),
    )
  return {
    ...house,
    chaos,
    store: s3,
    objects,
    async toS3(directory, fields = {}) {
      const destination_conf = `s3://logs/${directory}?region=us-east-1`
      const { filename } = await client.call(logexport.issueChallenge, { scope, body: { destination_conf } })
      const ownership_challenge = String(s3.objects().get(`logs/${filename}`)?.body)
      const body = { destination_conf, ownership_challenge, enabled: true, logfetch_options: 'fields=RayID', ...fields }
      return client.call(logexport.createJob, { scope, body })
    },
    toFiles: (directory, fields = {}) =>
      house.make(`file:///${directory}`, { enabled: true, logfetch_options: 'fields=RayID', ...fields }),
    async send(...rays) {
      const body = Buffer.from(rays.map((RayID) => `${JSON.stringify({ RayID })}\n`).join(''))
      const { accepted } = await client.call(logs.ingest, { scope, params: { dataset: 'http_requests' }, body })
      assert.equal(accepted, rays.length)
    },
    async filed(directory) {
      const below = join(house.fileRoot, directory)
      const names = (await readdir(below, { recursive: true }).catch(() => [])).filter((name) => name.endsWith('.gz'))
      return Promise.all(names.sort().map(async (name) => raysIn(await readFile(join(below, name)))))
    },
    view: (job) => client.call(logexport.viewJob, { scope, params: { job_id: job.id } }),
    status: (job) => client.call(logexport.jobStatus, { scope, params: { job_id: job.id } }),
    deliveries: (job) =>
      client.call(logexport.listDeliveries, { scope, params: { job_id: job.id }, query: { per_page: 1000 } }),
    async stop() {
      await house.stop()
      await chaos.stop()
      await s3.stop()
    },
  }
}

export const raysIn = (packed: Buffer): string[] =>
  [
    ...gunzipSync(packed)
      .toString()
      .matchAll(/"RayID":"([^"]*)"/g),
  ].map(([, ray = '']) => ray)

/** `r0000`, `r0001`, ... */
export const rays = (count: number, letter = 'r'): string[] =>
  Array.from({ length: count }, (_, at) => `${letter}${String(at).padStart(4, '0')}`)

export async function eventually<T>(look: () => Promise<T | undefined | null | false>, withinMs = 20_000): Promise<T> {
  const until = performance.now() + withinMs
  for (;;) {
    const found = await look()
    if (found) return found
    if (performance.now() > until) assert.fail(`it did not happen within ${withinMs / 1000} s: ${look}`)
    await wait(50)
  }
}
