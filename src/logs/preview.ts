/** What a selection would write: its first records as they would stand in an object, and how much it comes to in an hour. */
import { type Scope, second } from '../base/index.ts'
import type { Dataset, Selection } from '../datasets/index.ts'
import { countRecords, type ScanNeeds, scan } from './scan.ts'
import type { Window } from './select.ts'
import type { Watermark } from './watermark.ts'

export type PreviewNeeds = ScanNeeds & { readonly watermark: Pick<Watermark, 'read'> }

export type Preview = {
  readonly text: string
  readonly records: number
  readonly rowsPerHour: number
  /** Before compression. */
  readonly bytesPerHour: number
  readonly window: Window
}

const shown = 10
// Enough for an average, and a small part of what an hour may hold.
const measured = 1000
const hour = 3600n * second

export async function preview(
  needs: PreviewNeeds,
  scope: Scope,
  dataset: Dataset,
  selection: Selection,
  signal?: AbortSignal,
): Promise<Preview> {
  // A parquet file cannot be shown; what its rows hold can.
  const readable: Selection =
    selection.output.type === 'parquet' ? { ...selection, output: { type: 'ndjson' } } : selection
  const { window, rows, hours } = await lookBack(needs, scope, dataset, readable)
  const read = (count: number) =>
    scan(needs, scope, dataset, window, readable, { count, ...(signal ? { signal } : {}) })
  const text = rows === 0 ? '' : Buffer.concat(await (await read(shown)).toArray()).toString()
  const weighed = Math.min(rows, measured)
  let bytes = 0
  if (rows > 0) for await (const chunk of await read(measured)) bytes += (chunk as Buffer).length
  return {
    text,
    records: Math.min(rows, shown),
    rowsPerHour: Math.round(rows / hours),
    bytesPerHour: weighed === 0 ? 0 : Math.round(((bytes / weighed) * rows) / hours),
    window,
  }
}

/** The last hour; where that is empty, the last day. */
async function lookBack({ watermark, ...needs }: PreviewNeeds, scope: Scope, dataset: Dataset, selection: Selection) {
  const to = watermark.read()
  const last = async (hours: number) => {
    const window = { from: to - BigInt(hours) * hour, to }
    return { window, hours, rows: await countRecords(needs, scope, dataset, window, selection) }
  }
  const hourly = await last(1)
  return hourly.rows > 0 ? hourly : last(24)
}
