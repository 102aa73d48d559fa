/** Records: taken in durably, read back by one query path for fetch and export, and forgotten by day. */
import type { Clock, Log } from '../base/index.ts'
import type { DatasetRegistry } from '../datasets/index.ts'
import type { Ingest } from './append.ts'
import type { RecordStore } from './connect.ts'
import type { Watermark } from './watermark.ts'

/** What the functions of this room need; each asks for a part of it. */
export type LogNeeds = {
  readonly store: RecordStore
  readonly datasets: DatasetRegistry
  readonly now: Clock
  readonly watermark: Watermark
  readonly ingest: Ingest
  /** Directory for part files on their way out. */
  readonly spool: string
  readonly log: Log
}

export { type Appended, append, type Ingest, makeIngest } from './append.ts'
export type { AddressRange, NumberRange, Term, TermOperator } from './condition-term.ts'
export { connectByUrl, connectToEngine, type RecordStore, type ServerOptions } from './connect.ts'
export { attachTable, type FrozenTable, freezeTables, recordsIn } from './freeze.ts'
export { type InflateLimits, inflate } from './inflate.ts'
export type { LineFault } from './lines.ts'
export { type Preview, type PreviewNeeds, preview } from './preview.ts'
export { type Dropped, forget, type RetentionRules } from './retention.ts'
export {
  type Activity,
  activity,
  countPerWindow,
  countRecords,
  newestStamp,
  type ScanOptions,
  scan,
  scanRay,
} from './scan.ts'
export type { Query, Window } from './select.ts'
export { type SpooledPart, type SpoolOptions, spoolBytes, spoolParts } from './spool.ts'
export { makeTables, type TableOptions } from './tables.ts'
export { makeTails, type TailAsked, type TailNeeds, type TailReader, type TailSession, type Tails } from './tail.ts'
export { type Among, commonest, newest, tally } from './tally.ts'
export { type Floors, makeWatermark, type Watermark, type WatermarkOptions } from './watermark.ts'
