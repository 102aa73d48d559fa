/** The demo: a job of the first zone that writes below the data directory, and a trickle of records for it to carry. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { theService } from './access/index.ts'
import type { Log, Scope } from './base/index.ts'
import { makeGenerator, toLine } from './datasets/index.ts'
import { judgeDestination } from './destinations/index.ts'
import { createJob, issueChallenge, type JobNeeds, listJobs, scopeOf } from './jobs/index.ts'
import { append, type LogNeeds } from './logs/index.ts'

export type DemoNeeds = {
  readonly jobs: JobNeeds
  readonly logs: LogNeeds
  readonly log: Log
  readonly fileRoot: string
}

const demoConf = 'file:///demo/{DATE}'
const fields =
  'EdgeStartTimestamp,ClientIP,ClientCountry,ClientRequestMethod,ClientRequestHost,ClientRequestURI,EdgeResponseStatus,EdgeResponseBytes,ClientRequestUserAgent,CacheCacheStatus,OriginResponseStatus,RayID'

/** Makes the job as any customer would: the challenge is written, read back, and said. */
export async function makeDemoJob({ jobs, fileRoot }: DemoNeeds, zone: Scope): Promise<void> {
  const challenge = await issueChallenge(jobs, zone, demoConf)
  if (!challenge.valid) throw new Error(`the demo cannot write below ${fileRoot}: ${challenge.message}`)
  const token = await readFile(join(fileRoot, challenge.filename), 'utf8')
  await createJob(jobs, theService, zone, {
    name: 'demo',
    destination_conf: demoConf,
    ownership_challenge: token.trim(),
    enabled: true,
    logfetch_options: `fields=${fields}&timestamps=rfc3339`,
  })
}

/** The zone whose demo job was made at an earlier start, when it is still there. */
export async function demoScope({ db }: JobNeeds): Promise<Scope | undefined> {
  const judged = judgeDestination(demoConf)
  if (!judged.ok) return undefined
  const job = await db
    .selectFrom('jobs')
    .selectAll()
    .where('destination_identity', '=', judged.value.identity)
    .executeTakeFirst()
  return job && scopeOf(job)
}

/** A few records a second, for as long as the demo job is there and enabled. */
export function startTrickle({ jobs, logs, log }: DemoNeeds, zone: Scope): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const dataset = logs.datasets.find('http_requests', 'zone')
  const trickle = async () => {
    if (!dataset) return
    // Five events a second, dated as they would be.
    const made = makeGenerator(dataset, Number(logs.now() % 1_000_000n), { from: logs.now(), stepNanos: 200_000_000 })
    while (!stopping.signal.aborted) {
      const job = (await listJobs(jobs, theService, zone)).find((one) => one.destination_conf === demoConf)
      if (job?.enabled) {
        const lines = Array.from({ length: 5 }, () => `${toLine(made.next())}\n`).join('')
        await append(logs, zone, dataset, Readable.from([Buffer.from(lines)]))
      }
      await wait(1000, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }
  const running = (async () => {
    while (!stopping.signal.aborted) {
      await trickle().catch((error) => log.warn({ err: error }, 'the demo stumbled'))
      await wait(1000, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  })()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}
