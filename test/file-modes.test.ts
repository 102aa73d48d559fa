/** Nothing in a data directory, nor in a backup of it, may be read by anyone but who runs the service. */
import assert from 'node:assert/strict'
import { chmodSync, type Dirent, existsSync, lstatSync, readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { backUp, restore } from '../src/backup.ts'
import { readConfig } from '../src/config.ts'
import { type ExportHouse, eventually, rays, startExportHouse } from './journeys/export-house.ts'

let top: string
let house: ExportHouse
let mask: number
before(async () => {
  // The widest of all, so that nothing is narrow by chance.
  mask = process.umask(0)
  top = await mkdtemp(join(tmpdir(), 'spillway-modes-'))
  house = await startExportHouse({ data: join(top, 'data') })
})
after(async () => {
  process.umask(mask)
  await house?.stop()
  await rm(top, { recursive: true, force: true })
})

/** Whatever below a directory its group or others may touch. */
const openIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry: Dirent) => !entry.isSymbolicLink())
    .map((entry) => join(entry.parentPath, entry.name))
    .concat(directory)
    .filter((path) => (lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077)
    .map((path) => path.slice(top.length))

const configOf = (data: string) => {
  const config = readConfig({ SPILLWAY_DATA: data })
  return config.ok ? config.value : assert.fail()
}

test('a life of ingest, export and backup leaves nothing that others may read', async () => {
  const { data } = house
  // Held back, so that parts stay in the spool while they are looked for.
  await house.toS3('modes')
  house.chaos.mood = 'hang'
  await house.send(...rays(50))
  const spool = join(data, 'spool')
  await eventually(async () => existsSync(spool) && readdirSync(spool).length > 0)
  assert.deepEqual(openIn(data), [])
  const names = readdirSync(data)
  for (const name of ['spillway.db', 'spillway.db-wal', 'spillway.db-shm', 'lock', 'secret.key', 'first-run.json'])
    assert.ok(names.includes(name), name)
  assert.ok(readdirSync(join(data, 'records')).includes('engine.sock'))
  await backUp(configOf(data), join(top, 'backup'))
  assert.deepEqual(openIn(data), [])
  assert.deepEqual(openIn(join(top, 'backup')), [])
  await restore(configOf(join(top, 'restored')), join(top, 'backup'))
  assert.deepEqual(openIn(join(top, 'restored')), [])
})

test('files of an earlier version that others may read are closed to them at the next start', async () => {
  await house.stop()
  for (const name of ['spillway.db', 'lock']) chmodSync(join(house.data, name), 0o644)
  house = await startExportHouse({ data: house.data })
  assert.deepEqual(
    openIn(house.data).filter((path) => !path.startsWith('/data/records/')),
    [],
  )
})
