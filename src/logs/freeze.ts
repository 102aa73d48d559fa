/**
 * Tables of records for a backup and from one. The engine freezes a table by hard links to its parts, which never change:
 * records go on coming in meanwhile. What was frozen is attached to a table of the same form.
 */
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { asking } from './asking.ts'
import type { RecordStore } from './connect.ts'
import { rows } from './scan.ts'
import { column, keysTable } from './tables.ts'

type Needs = { readonly store: RecordStore }

export type FrozenTable = {
  readonly name: string
  /** The statement that makes a table of the same form. */
  readonly create: string
  /** Holds a directory for each part; undefined when the table is empty. */
  readonly parts: string | undefined
}

type Table = { readonly name: string; readonly create: string; readonly path: string }

const listTables = ({ store }: Needs): Promise<Table[]> =>
  rows<Table>(store, {
    sql: `SELECT name, create_table_query AS create, data_paths[1] AS path FROM system.tables
WHERE database = currentDatabase() AND engine LIKE '%MergeTree' ORDER BY name`,
    params: {},
  })

/**
 * Freezes every table below `shadow/<label>` of the engine's directory. The keys of requests come last: a key that is
 * remembered without its records is stored again when it is sent again, but records without their key would be doubled.
 */
export async function freezeTables({ store }: Needs, engineDirectory: string, label: string): Promise<FrozenTable[]> {
  const shadow = join(engineDirectory, 'store', 'shadow', label, 'store')
  const tables = await listTables({ store })
  const isKeys = ({ name }: Table) => column(name) === keysTable
  const frozen: FrozenTable[] = []
  for (const { name, create, path } of [...tables.filter((table) => !isKeys(table)), ...tables.filter(isKeys)]) {
    await asking(() => store.client.command({ query: `ALTER TABLE ${column(name)} FREEZE WITH NAME '${label}'` }))
    const id = basename(path)
    const parts = join(shadow, id.slice(0, 3), id)
    const isEmpty = (await readdir(parts).catch(() => [])).length === 0
    frozen.push({ name, create, parts: isEmpty ? undefined : parts })
  }
  return frozen
}

/** Makes the table, lets `fill` put its parts where they are attached from, and gives the number of records in it then. */
export async function attachTable(
  { store }: Needs,
  { name, create }: Pick<FrozenTable, 'name' | 'create'>,
  fill: (directory: string) => Promise<void>,
): Promise<number> {
  await asking(() => store.client.command({ query: create }))
  const made = (await listTables({ store })).find((table) => table.name === name)
  if (!made) throw new Error(`the engine did not make the table ${name}`)
  await fill(join(made.path, 'detached'))
  await asking(() => store.client.command({ query: `ALTER TABLE ${column(name)} ATTACH PARTITION ALL` }))
  const [counted] = await rows<{ rows: number }>(store, {
    sql: `SELECT count() AS rows FROM ${column(name)}`,
    params: {},
  })
  return counted?.rows ?? 0
}

/** How many records the parts below a directory hold, as they say themselves. */
export async function recordsIn(parts: string): Promise<number> {
  const names = await readdir(parts)
  const counts = await Promise.all(names.map((name) => readFile(join(parts, name, 'count.txt'), 'utf8')))
  return counts.reduce((sum, count) => sum + Number(count), 0)
}
