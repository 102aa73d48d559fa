/** Finds, by halving, the lines that the engine cannot take although nothing is wrong with them that we could name. */
import { randomBytes } from 'node:crypto'
import { ClickHouseError } from '@clickhouse/client'
import type { Dataset } from '../datasets/index.ts'
import type { RecordStore } from './connect.ts'
import { frame } from './frame.ts'
import { insertSettings, tryStatement } from './insert.ts'

/** Indexes of the lines; nothing is stored. */
export async function findUnreadable(
  store: RecordStore,
  dataset: Dataset,
  lines: readonly Buffer[],
  offset = 0,
): Promise<readonly number[]> {
  if (lines.length === 0 || (await canRead(store, dataset, lines))) return []
  if (lines.length === 1) return [offset]
  const half = lines.length >> 1
  return [
    ...(await findUnreadable(store, dataset, lines.slice(0, half), offset)),
    ...(await findUnreadable(store, dataset, lines.slice(half), offset + half)),
  ]
}

async function canRead(store: RecordStore, dataset: Dataset, lines: readonly Buffer[]): Promise<boolean> {
  const row = `_${randomBytes(8).toString('hex')}`
  const bytes = lines.reduce((sum, line) => sum + line.length, 0)
  try {
    await store.insert({
      query: tryStatement(dataset, row),
      query_params: { scopes: [''], at: 0 },
      rows: () => frame([{ lines, bytes }], row),
      clickhouse_settings: { ...insertSettings, input_format_skip_unknown_fields: 1 },
    })
    return true
  } catch (error) {
    if (error instanceof ClickHouseError) return false
    throw error
  }
}
