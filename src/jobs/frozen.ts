/** What a window exports and at what pace, frozen when it is begun, and judged again when it is worked on. */
import { accept, type Judged, reject } from '../base/index.ts'
import { judgeDestination } from '../destinations/index.ts'
import { judgeSelection, type OptionTexts } from './draft.ts'
import { type JobRow, scopeOf } from './job.ts'
import type { Turn, TurnNeeds } from './turn.ts'
import { cutSecondsOf, type Pace } from './window.ts'

/** What a window exports, frozen when it is begun, so that a repeat writes the same bytes. */
export type FrozenOptions = OptionTexts & {
  readonly maxRecords: number
  /** Null sets no ceiling, and spares the exporter from measuring every record. */
  readonly maxBytes: number | null
}

/** While behind, a window may hold this much time: fewer, larger objects, and still a bounded spool. */
const longestSeconds = 300

/** The hosted product's own ceiling where the customer sets none. */
const usualRecords = 100_000

export function freeze(row: JobRow, conf: string): FrozenOptions {
  const destination = judgeDestination(conf)
  // An unfit destination is told of when the window is begun; what is frozen then is not sent.
  const limits = destination.ok ? destination.value.limits : {}
  const ceilings = [row.max_upload_bytes || undefined, limits.maxBytes].filter((bytes) => bytes !== undefined)
  return {
    logfetch_options: row.logfetch_options,
    output_options: row.output_options === null ? null : JSON.parse(row.output_options),
    filter: row.filter,
    maxRecords: Math.min(row.max_upload_records || usualRecords, limits.maxRecords ?? Number.POSITIVE_INFINITY),
    maxBytes: ceilings.length === 0 ? null : Math.min(...ceilings),
  }
}

export function confOf({ vault }: Pick<TurnNeeds, 'vault'>, row: JobRow): string | undefined {
  try {
    return vault.open(row.conf_sealed)
  } catch {
    return undefined
  }
}

/** What was judged when it was saved may be judged otherwise now: datasets go, and rules about them change. */
export function judgeStored(
  { datasets }: TurnNeeds,
  row: JobRow,
  conf: string,
  options: FrozenOptions,
): Judged<Pick<Turn, 'scope' | 'dataset' | 'selection' | 'maxRecords' | 'maxBytes' | 'destination'>> {
  const scope = scopeOf(row)
  const dataset = datasets.find(row.dataset, scope.kind)
  if (!dataset) return reject(`${row.dataset} is no longer a dataset of this service`)
  const destination = judgeDestination(conf)
  if (!destination.ok) return destination
  const selection = judgeSelection(options, dataset)
  if (!selection.ok) return selection
  const { maxRecords, maxBytes } = options
  return accept({ scope, dataset, selection: selection.value, maxRecords, maxBytes, destination: destination.value })
}

export function paceOf({ intervalSeconds }: Pick<TurnNeeds, 'intervalSeconds'>, row: JobRow, conf: string): Pace {
  const usual = row.frequency === 'low' ? Math.max(intervalSeconds, 300) : intervalSeconds
  const own = row.max_upload_interval_seconds || usual
  return { intervalSeconds: own, longestSeconds: Math.max(longestSeconds, own), cutSeconds: cutSecondsOf(conf) }
}
