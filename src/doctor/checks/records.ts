/** The record store: the embedded engine can be loaded and answers, or ClickHouse does. */
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeLog } from '../../base/index.ts'
import { startEngine } from '../../engine/index.ts'
import { connectByUrl, connectToEngine, type RecordStore } from '../../logs/index.ts'
import { type Check, fine, type Note, type Patient, sayError, wrong } from '../finding.ts'

export const records: Check = {
  name: 'records',
  says: 'The embedded engine loads and answers, or ClickHouse does.',
  async look(patient) {
    return patient.config.clickhouseUrl ? [await server(patient)] : [await embedded(patient)]
  },
}

async function server({ config }: Patient): Promise<Note> {
  const where = 'SPILLWAY_CLICKHOUSE_URL'
  try {
    const { version } = await askServer(config)
    return fine(where, `ClickHouse ${version} answers.`)
  } catch (error) {
    return wrong(
      where,
      `ClickHouse does not answer: ${sayError(error)}`,
      'Start it, or correct the address, the user, the password or the database.',
    )
  }
}

/** An engine of our own on an empty directory: the records themselves belong to the service, running or not. */
async function embedded({ config }: Patient): Promise<Note> {
  const where = 'the embedded engine'
  const directory = await mkdtemp(join(tmpdir(), 'spillway-doctor-'))
  try {
    const engine = await startEngine(
      { log: makeLog('silent') },
      { directory, maxMemoryBytes: Math.min(config.engineMemoryBytes, 500e6) },
    )
    try {
      const { version } = await askStore(connectToEngine(engine))
      return fine(where, `It loads and answers (ClickHouse ${version}).`)
    } finally {
      await engine.close()
    }
  } catch (error) {
    return wrong(
      where,
      `It does not start: ${sayError(error)}`,
      'Install the packages again for this machine (npm ci), or set SPILLWAY_CLICKHOUSE_URL.',
    )
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** As the service itself would connect. */
export async function askServer({ clickhouseUrl = '', clickhouseCaFile }: Patient['config']) {
  const authority = clickhouseCaFile && readFileSync(clickhouseCaFile, 'utf8')
  return askStore(connectByUrl(clickhouseUrl, { authority }))
}

/** What the store is, and what its clock says. */
async function askStore(store: RecordStore): Promise<{ version: string; unixMs: number }> {
  try {
    const answer = await store.client.query({
      query: 'SELECT version() AS version, toFloat64(toUnixTimestamp64Milli(now64(3))) AS unixMs',
      format: 'JSONEachRow',
      abort_signal: AbortSignal.timeout(10_000),
    })
    const [row] = await answer.json<{ version: string; unixMs: number }>()
    if (!row) throw new Error('it answers nothing')
    return row
  } finally {
    await store.close()
  }
}
