/** The exporter: notes which scopes had records, gives due jobs their turns, and works several turns at the same time. */
import type { Log, Metrics, Nanos } from '../base/index.ts'
import {
  activityFrom,
  type Lag,
  lags,
  noteActivity,
  type RollCall,
  takeTurn,
  wakeEarly,
  wakeOverslept,
} from '../jobs/index.ts'
import { activity, spoolBytes } from '../logs/index.ts'
import { type DeliverNeeds, deliverTurn } from './deliver.ts'
import { type Bell, makeBell, rest } from './rest.ts'

export type ExporterNeeds = Omit<DeliverNeeds, 'onOutcome'> & {
  readonly log: Log
  readonly metrics: Metrics
  /** Unique to this process and start. */
  readonly holder: string
  readonly slots: number
  /** How often activity is noted. */
  readonly tickMs: number
  readonly rollCall: RollCall
}

export type Exporter = {
  stop(): Promise<void>
  /** Why no job is scheduled, when that is so. */
  trouble(): string | undefined
  /** Jobs that are behind, as of a few seconds ago, the worst first. */
  behind(): readonly Lag[]
}

export function startExporter(needs: ExporterNeeds): Exporter {
  const stopping = new AbortController()
  const bell = makeBell()
  const state: State = { trouble: undefined, behind: [] }
  const loops = [tickLoop(needs, bell, state, stopping.signal), turnLoop(needs, bell, state, stopping.signal)]
  return {
    trouble: () => state.trouble,
    behind: () => state.behind,
    async stop() {
      stopping.abort()
      bell.ring()
      await Promise.all(loops)
    },
  }
}

type State = { trouble: string | undefined; behind: readonly Lag[] }

const rollCallEveryMs = 1_000
const reportEveryMs = 5_000
// Two PostgreSQL transactions can pass each other so that a job falls asleep on records: for no longer than this.
const sweepEveryMs = 5_000

/** Notes activity again and again; whatever fails is said and tried again, and nothing moves meanwhile. */
async function tickLoop(needs: ExporterNeeds, bell: Bell, state: State, signal: AbortSignal): Promise<void> {
  const [isRollCall, isReport, isSweepDue] = [every(rollCallEveryMs), every(reportEveryMs), every(sweepEveryMs)]
  // What came in before the start is known to the store alone.
  let isUnsure = true
  let lastTick = needs.turns.now()
  while (!signal.aborted) {
    await unlessItFails(needs.log, 'noting activity', async () => {
      const now = needs.turns.now()
      if (now < lastTick) needs.log.warn({ seconds: Number(lastTick - now) / 1e9 }, 'the clock was set back')
      if (now < lastTick || isUnsure) await wakeEarly(needs.turns)
      lastTick = now
      if (isRollCall()) state.trouble = await findTrouble(needs)
      if (state.trouble) return
      if (isReport()) state.behind = await report(needs)
      const isSweep = isSweepDue()
      if (await noteTick(needs, isUnsure, !isSweep)) bell.ring()
      isUnsure = false
      if (isSweep) await wakeOverslept(needs.turns)
    })
    await rest(needs.tickMs, signal)
  }
}

/** True when first asked, and then once in that time: by the clock, since a tick takes seconds on a busy machine. */
function every(ms: number): () => boolean {
  let last = Number.NEGATIVE_INFINITY
  return () => {
    const now = performance.now()
    if (now - last < ms) return false
    last = now
    return true
  }
}

/** A list of jobs from which some are gone without a word is not acted upon. */
async function findTrouble({ rollCall, log, metrics }: ExporterNeeds): Promise<string | undefined> {
  const missing = await rollCall.call()
  metrics.scheduling.set(missing.length === 0 ? 1 : 0)
  if (missing.length === 0) return undefined
  const trouble = `${missing.length} jobs are missing from the metadata database; nothing is scheduled until they are back`
  log.error({ jobs: missing.slice(0, 20) }, trouble)
  return trouble
}

async function report({ turns, logs, watermark, metrics }: ExporterNeeds): Promise<readonly Lag[]> {
  const settled = watermark()
  metrics.watermarkAge.set(Math.max(0, Number(turns.now() - settled) / 1e9))
  const behind: readonly Lag[] = await lags(turns, settled)
  metrics.spoolBytes.set(await spoolBytes(logs))
  metrics.jobsBehind.set(behind.length)
  metrics.jobLag.reset()
  for (const { job, seconds } of behind.slice(0, 50)) metrics.jobLag.set({ job_id: String(job) }, seconds)
  return behind
}

/**
 * Notes what came in since the last tick; true when something did. While this process is the only one that takes
 * records and has stamped none since, the store need not be asked: its answer costs 40 ms of a core over 37 tables.
 */
async function noteTick(
  { turns, logs, watermark }: ExporterNeeds,
  isFirst: boolean,
  mayRest: boolean,
): Promise<boolean> {
  const from = await activityFrom(turns)
  const to: Nanos = watermark()
  // Asked after the watermark: whatever is stamped from here on is behind it.
  const newest = logs.watermark.newest()
  if (to <= from) return false
  if (!isFirst && newest !== undefined && newest < from) {
    if (!mayRest) await noteActivity(turns, from, to, [])
    return false
  }
  const seen = (await activity(logs, { from, to })).map(({ id, ...rest }) => ({ scope: id, ...rest }))
  return (await noteActivity(turns, from, to, seen)) && seen.length > 0
}

/** Takes turns while there are slots; rests until a tick rings, a slot frees up, or a back-off may be over. */
async function turnLoop(needs: ExporterNeeds, bell: Bell, state: State, signal: AbortSignal): Promise<void> {
  const running = new Map<number, Promise<void>>()
  while (!signal.aborted) {
    const turn =
      running.size < needs.slots && !state.trouble
        ? await unlessItFails(needs.log, 'taking a turn', () =>
            takeTurn(needs.turns, needs.holder, needs.watermark(), [...running.keys()]),
          )
        : undefined
    if (!turn) {
      await bell.heard(250)
      continue
    }
    const work = unlessItFails(needs.log, `exporting job ${turn.job}`, () =>
      deliverTurn({ ...needs, onOutcome: counted(needs.metrics) }, turn, signal),
    ).then(() => {
      running.delete(turn.job)
      bell.ring()
    })
    running.set(turn.job, work)
  }
  await Promise.all(running.values())
}

const counted =
  (metrics: Metrics): DeliverNeeds['onOutcome'] =>
  (kind, outcome, part) => {
    metrics.deliveries.inc({ kind, outcome })
    if (outcome !== 'delivered') return
    metrics.deliveredBytes.inc({ kind }, part.bytes)
    metrics.deliveredRows.inc({ kind }, part.rows)
  }

/** The loops of the house never end by an error; it is said, and a second later life goes on. */
async function unlessItFails<T>(log: Log, doing: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    log.error({ err: error }, `${doing} failed`)
    return undefined
  }
}
