/** Finds, by halving, the lines that the engine cannot take although nothing is wrong with them that we could name. */
import { randomBytes } from 'node:crypto'
import { ClickHouseError } from '@clickhouse/client'
import type { Dataset } from '../datasets/index.ts'
import { asProblem, unavailable } from './asking.ts'
import type { RecordStore } from './connect.ts'
import { frame } from './frame.ts'
import { insertSettings, tryStatement } from './insert.ts'

/** Indexes of the lines; nothing is stored. */
export async function findUnreadable(
  store: RecordStore,
  dataset: Dataset,
  lines: readonly Buffer[],
): Promise<readonly number[]> {
  const refusal = (some: readonly Buffer[]) => refusalOf(store, dataset, some)
  // Who lets nobody in, say, refuses the emptiest record too: no fault of the lines, and the sender must not drop them.
  const always = await refusal([Buffer.from('{}')])
  if (always) throw unavailable(always)
  const find = async (some: readonly Buffer[], offset: number): Promise<readonly number[]> => {
    if (some.length === 0 || !(await refusal(some))) return []
    if (some.length === 1) return [offset]
    const half = some.length >> 1
    return [...(await find(some.slice(0, half), offset)), ...(await find(some.slice(half), offset + half))]
  }
  return find(lines, 0)
}

/** An error that may pass says nothing of the lines, and is thrown. */
async function refusalOf(
  store: RecordStore,
  dataset: Dataset,
  lines: readonly Buffer[],
): Promise<ClickHouseError | undefined> {
  const row = `_${randomBytes(8).toString('hex')}`
  const bytes = lines.reduce((sum, line) => sum + line.length, 0)
  try {
    await store.insert({
      query: tryStatement(dataset, row),
      query_params: { scopes: [''], at: 0 },
      rows: () => frame([{ lines, bytes }], row),
      clickhouse_settings: { ...insertSettings, input_format_skip_unknown_fields: 1 },
    })
    return undefined
  } catch (error) {
    if (error instanceof ClickHouseError && asProblem(error) === error) return error
    throw error
  }
}
