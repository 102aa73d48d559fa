/** The drill: a backup of a service at work becomes a service of its own, and nothing that was acknowledged is missing. */
import assert from 'node:assert/strict'
import { appendFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { backUp, restore } from '../src/backup.ts'
import { run } from '../src/cli/index.ts'
import { readConfig } from '../src/config.ts'
import { credentialHeaders } from '../src/contract/index.ts'
import { type ExportHouse, eventually, rays, raysIn, startExportHouse } from './journeys/export-house.ts'
import { makeTerminal, say } from './terminal.ts'

let house: ExportHouse
let directory: string
const place = (name: string) => join(directory, name)
const configOf = (data: string) => {
  const config = readConfig({ SPILLWAY_DATA: data })
  assert.ok(config.ok)
  return config.value
}

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'spillway-backup-'))
  house = await startExportHouse({ data: place('data') })
})

after(async () => {
  await house.stop()
  await rm(directory, { recursive: true, force: true })
})

const namesBelow = async (below: string) =>
  (await readdir(below, { recursive: true }).catch(() => [])).filter((name) => name.endsWith('.gz')).sort()

test('a service restored from a backup taken at work has all that was acknowledged, resumes its jobs, and repeats nothing', async () => {
  const exported = await house.toFiles('exported')
  await house.send(...rays(100, 'before'))
  await eventually(async () => (await house.filed('exported')).flat().length === 100)
  await eventually(async () => (await house.deliveries(exported)).every(({ outcome }) => outcome === 'delivered'))
  // A window that was begun and cannot be delivered: the store is away.
  house.chaos.mood = 'refuse'
  const held = await house.toS3('held').catch(() => undefined)
  assert.equal(held, undefined, 'no challenge can be written while the store is away')
  house.chaos.mood = 'well'
  const owing = await house.toS3('owing')
  house.chaos.mood = 'refuse'
  await house.send(...rays(50, 'owed'))
  await eventually(async () => (await house.status(owing)).failures !== 0)
  await eventually(async () => (await house.filed('exported')).flat().length === 150)

  // Writers that go on while the backup is taken.
  const over = new AbortController()
  const late: string[] = []
  const writing = (async () => {
    for (let batch = 0; !over.signal.aborted; batch += 1) {
      const sent = rays(10, `late-${batch}-`)
      await house.send(...sent)
      late.push(...sent)
    }
  })()
  await eventually(async () => late.length > 0)
  const acknowledged = [...rays(100, 'before'), ...rays(50, 'owed'), ...late]
  const report = await backUp(configOf(house.data), place('backup'))
  over.abort()
  await writing
  assert.ok(report.records >= acknowledged.length, `${report.records} of ${acknowledged.length}`)
  assert.equal(report.key, 'in the backup')
  assert.equal((await stat(join(place('backup'), 'secret.key'))).mode & 0o777, 0o600)
  assert.equal((await stat(join(place('backup'), 'spillway.db'))).mode & 0o777, 0o600)
  assert.deepEqual(await readdir(join(house.data, 'records/store/shadow')), ['increment.txt'], 'nothing stays frozen')

  await restore(configOf(place('restored')), place('backup'))
  const restored = await startExportHouse({
    data: place('restored'),
    environment: { SPILLWAY_FILE_ROOT: place('exports'), SPILLWAY_FETCH_MIN_AGE_SECONDS: '0' },
  })
  try {
    const asked = new URLSearchParams({
      start: new Date(Date.now() - 3_600_000).toISOString(),
      end: new Date().toISOString(),
      fields: 'RayID',
    })
    const text = await eventually(async () => {
      const answer = await fetch(`${restored.baseUrl}/zones/${house.zone}/logs/received?${asked}`, {
        headers: credentialHeaders(house.credential),
      })
      const said = await answer.text()
      assert.ok(answer.ok || answer.status === 503, said)
      return answer.ok && said
    })
    const there = new Set([...text.matchAll(/"RayID":"([^"]*)"/g)].map(([, ray]) => ray))
    assert.deepEqual(
      acknowledged.filter((ray) => !there.has(ray)),
      [],
    )

    const owed = await eventually(async () => {
      const seen = [...restored.objects('logs/owing/').values()].flatMap((bytes) => raysIn(bytes))
      return rays(50, 'owed').every((ray) => seen.includes(ray)) && seen
    })
    assert.equal(owed.length, new Set(owed).size, 'each record once')
    await restored.send('new')
    const again = await eventually(async () => {
      const all = (await restored.filed('exported')).flat()
      return all.includes('new') && all
    })
    const carried = new Set([...(await house.filed('exported')).flat(), ...again])
    assert.deepEqual(
      acknowledged.filter((ray) => !carried.has(ray)),
      [],
    )
    // What the ledger of the backup knew as delivered is not delivered again, under no name.
    const known = new Set([...rays(100, 'before'), ...rays(50, 'owed')])
    assert.deepEqual(
      again.filter((ray) => known.has(ray)),
      [],
    )
  } finally {
    await restored.stop()
  }
})

test('a restore overwrites nothing, and refuses a backup that is not whole', async () => {
  await assert.rejects(restore(configOf(house.data), place('backup')), /is not empty/)
  await assert.rejects(backUp(configOf(house.data), place('backup')), /is not empty/)
  await assert.rejects(restore(configOf(place('new')), place('exports')), /no manifest/)
  const database = join(place('backup'), 'spillway.db')
  const whole = await readFile(database)
  await appendFile(database, 'x')
  await assert.rejects(restore(configOf(place('new')), place('backup')), /checksum differs/)
  await rm(database)
  await assert.rejects(restore(configOf(place('new')), place('backup')), /is missing/)
  await writeFile(database, whole)
  const manifest = join(place('backup'), 'manifest.json')
  const text = await readFile(manifest, 'utf8')
  await writeFile(manifest, text.replace('"spillway.db"', '"../spillway.db"'))
  await assert.rejects(restore(configOf(place('new')), place('backup')), /outside/)
  await writeFile(manifest, text.replace('"format": 1', '"format": 2'))
  await assert.rejects(restore(configOf(place('new')), place('backup')), /understands/)
  await writeFile(manifest, text)
  assert.deepEqual(await namesBelow(place('new')), [])
  assert.equal(await stat(place('new')).catch(() => undefined), undefined, 'nothing was begun')
})

test('the commands say what they did, and what they will not do', async () => {
  const { terminal, out, err } = makeTerminal()
  const { SPILLWAY_DATA: before } = process.env
  try {
    process.env.SPILLWAY_DATA = place('by-command')
    assert.equal(await run(terminal, ['backup']), 2)
    assert.equal(await run(terminal, ['backup', place('nothing')]), 1)
    assert.equal(await run(terminal, ['restore', place('backup')]), 0)
    // Of a directory that no service runs on.
    assert.equal(await run(terminal, ['backup', place('second')]), 0)
    const report = await say(['backup', place('in-json'), '--json'])
    assert.equal(JSON.parse(report.out).directory, place('in-json'))
    process.env.SPILLWAY_DATABASE_URL = 'postgres://127.0.0.1/x'
    assert.equal(await run(terminal, ['backup', place('third')]), 1)
  } finally {
    delete process.env.SPILLWAY_DATABASE_URL
    if (before === undefined) delete process.env.SPILLWAY_DATA
    else process.env.SPILLWAY_DATA = before
  }
  const text = `${out()}\n${err()}`
  assert.match(text, /no data of Spillway/)
  assert.match(text, /Restored .* records, \d+ files, [\d.]+ MB/)
  assert.match(text, /Backed up to .* records/)
  assert.match(text, /PostgreSQL and ClickHouse with their own tools/)
})
