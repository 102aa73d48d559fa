/** The ledger of Idempotency-Keys: for each part of a request, which body it had and under which stamps it was tried. */
import { askRows, patiently } from './asking.ts'
import type { RecordStore } from './connect.ts'
import { keysTable } from './tables.ts'

export type PartId = { readonly scope: string; readonly dataset: string; readonly key: string; readonly part: number }

export type Try = { readonly body: string; readonly at: bigint }

export async function readTries(
  { client }: RecordStore,
  { scope, dataset, key, part }: PartId,
): Promise<readonly Try[]> {
  const tries = await askRows<{ body: string; at: string }>(
    client,
    `SELECT body, toString(_at) AS at FROM ${keysTable}
WHERE _scope = {scope:String} AND dataset = {dataset:String} AND key = {key:String} AND part = {part:UInt32}`,
    { scope, dataset, key, part },
  )
  return tries.map(({ body, at }) => ({ body, at: BigInt(at) }))
}

export async function writeTry({ client }: RecordStore, id: PartId, body: string, at: bigint): Promise<void> {
  await patiently(() =>
    client.insert({
      table: keysTable,
      values: [{ _scope: id.scope, dataset: id.dataset, key: id.key, part: id.part, body, _at: at.toString() }],
      format: 'JSONEachRow',
    }),
  )
}
