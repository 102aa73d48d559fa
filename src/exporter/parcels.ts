/** Names of parts. The same window of the same job always gets the same names, so a repeat overwrites and never doubles. */
import { createHash } from 'node:crypto'
import { toDate, toRfc3339 } from '../base/index.ts'
import type { Parcel } from '../destinations/index.ts'
import type { Turn } from '../jobs/index.ts'

/** `<dir with {DATE} expanded>/<from>_<to>_<8 hex of job, window, part>.<ending>` */
export function partName(
  { job, window, destination }: Pick<Turn, 'job' | 'window' | 'destination'>,
  part: number,
  ending: string,
): string {
  const id = createHash('sha256').update(`${job}/${window.from}/${window.to}/${part}`).digest('hex').slice(0, 8)
  return destination.objectName(toDate(window.from), `${compact(window.from)}_${compact(window.to)}_${id}.${ending}`)
}

/** What the bytes of a part are, and how their name ends. */
export function formOf({ output, compression }: Turn['selection']): {
  readonly ending: string
  readonly contentType: string
  readonly contentEncoding: Parcel['contentEncoding']
} {
  if (output.type === 'parquet')
    return { ending: 'parquet', contentType: 'application/vnd.apache.parquet', contentEncoding: 'identity' }
  const isCsv = output.type === 'framed' && output.style === 'csv'
  return { ...packed[compression], contentType: isCsv ? 'text/csv' : 'application/x-ndjson' }
}

const packed = {
  gzip: { ending: 'log.gz', contentEncoding: 'gzip' },
  zstd: { ending: 'log.zst', contentEncoding: 'zstd' },
  none: { ending: 'log', contentEncoding: 'identity' },
} as const

/** 20261115T023359Z */
const compact = (nanos: bigint): string => toRfc3339(nanos).replaceAll(/[-:]/g, '')
