/** `spillway doctor`: it says nothing against a healthy service, running or stopped, and names each thing that is put wrong. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { makeVault, second, systemClock } from '../src/base/index.ts'
import { logexport, logs } from '../src/contract/index.ts'
import { checks, examine, type Finding } from '../src/doctor/index.ts'
import { lockDataDirectory } from '../src/house-lock.ts'
import { makeAuthority } from './endpoints/certificates.ts'
import { listen, type Running } from './endpoints/server.ts'
import { eventually } from './journeys/export-house.ts'
import { startJobHouse } from './journeys/job-house.ts'
import { freePort, freshPostgres } from './postgres.ts'

type Environment = Record<string, string>
const main = join(import.meta.dirname, '../src/main.ts')
const hour = 3600n * second

let place: string
let healthy: Environment
let receiver: Running
/** The house lived an hour ahead, so that what it exported is ahead of the machine's clock. */
const now = () => systemClock() + hour

async function look(environment: Environment, check?: string, clock = now): Promise<Finding[]> {
  const asked = check === undefined ? checks : checks.filter(({ name }) => name === check)
  assert.ok(asked.length > 0, check)
  return Array.fromAsync(examine(environment, { now: clock, asked }))
}
const troubles = (findings: readonly Finding[]) => findings.filter(({ level }) => level !== 'fine')

before(async () => {
  place = await mkdtemp(join(tmpdir(), 'spillway-doctor-'))
  const authority = makeAuthority()
  await writeFile(join(place, 'ca.pem'), authority.cert)
  receiver = await listen((_, response) => void response.end(), authority.issue(['127.0.0.1']))
  const data = join(place, 'data')
  await mkdir(data, { mode: 0o700 })
  const port = String(await freePort())
  const shared = {
    SPILLWAY_CA_FILE: join(place, 'ca.pem'),
    SPILLWAY_ALLOWED_NETWORKS: '127.0.0.0/8',
    SPILLWAY_PORT: port,
  } as const
  const house = await startJobHouse({
    data,
    environment: { ...shared, SPILLWAY_OWNERSHIP: 'storage', SPILLWAY_EXPORT_INTERVAL_SECONDS: '1' },
  })
  healthy = { ...shared, SPILLWAY_DATA: data, SPILLWAY_FILE_ROOT: house.fileRoot }
  try {
    house.tick(hour)
    const { id } = await house.make('file:///healthy', { enabled: true })
    const body = { destination_conf: `https://127.0.0.1:${receiver.port}/in?header_Authorization=hush`, enabled: true }
    await house.client.call(logexport.createJob, { scope: house.zoneScope, body })
    await house.client.open(logs.ingest, {
      scope: house.zoneScope,
      params: { dataset: 'http_requests' },
      body: Buffer.from('{"RayID":"1"}\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    })
    await eventually(async () => {
      const job = await house.client.call(logexport.viewJob, { scope: house.zoneScope, params: { job_id: id } })
      return job.last_complete
    })
    const running = await look(healthy)
    assert.deepEqual(troubles(running), [])
    assert.match(running.find(({ check }) => check === 'port')?.what ?? '', /^Spillway answers and is ready\.$/)
  } finally {
    // The directory for files is the house's, and goes with it.
    const { fileRoot } = house
    await house.stop()
    await mkdir(fileRoot, { recursive: true })
  }
})
after(async () => {
  await receiver.stop()
  await rm(healthy.SPILLWAY_FILE_ROOT!, { recursive: true, force: true })
  await rm(place, { recursive: true, force: true })
})

test('nothing is said against a service that is stopped, and nothing is changed by looking', async () => {
  const files = async () => (await readdir(healthy.SPILLWAY_DATA!)).sort()
  const earlier = await files()
  const findings = await look(healthy)
  assert.deepEqual(troubles(findings), [])
  assert.deepEqual(
    [...new Set(findings.map(({ check }) => check))],
    checks.map(({ name }) => name),
  )
  assert.deepEqual(await files(), earlier)
})

test('before the first start there is nothing to find, and nothing is made', async () => {
  const data = join(place, 'not', 'yet')
  assert.deepEqual(troubles(await look({ SPILLWAY_DATA: data, SPILLWAY_PORT: '0' })), [])
  assert.ok(!existsSync(join(place, 'not')))
})

type Misconfiguration = {
  readonly name: string
  readonly check: string
  readonly environment?: Environment
  /** Puts something wrong in a copy of the data directory. */
  arrange?(data: string): unknown
  readonly where: RegExp
  readonly what: RegExp
  readonly todo: RegExp
  readonly level?: 'doubtful'
  readonly clock?: () => bigint
}

const sql = (data: string, text: string) => {
  const file = new DatabaseSync(join(data, 'spillway.db'))
  file.exec(text)
  file.close()
}
const nowhere = 'postgres://spillway:hush@127.0.0.1:1/spillway'
const noClickHouse = 'http://spillway:hush@127.0.0.1:1/spillway'

const misconfigurations: readonly Misconfiguration[] = [
  {
    name: 'a misspelt setting',
    check: 'configuration',
    environment: { SPILLWAY_PROT: '80' },
    where: /^SPILLWAY_PROT$/,
    what: /SPILLWAY_PROT is not a setting/,
    todo: /unset it/,
  },
  {
    name: 'a setting that cannot be read',
    check: 'configuration',
    environment: { SPILLWAY_RETENTION_DAYS: 'a week' },
    where: /^SPILLWAY_RETENTION_DAYS$/,
    what: /is not a whole number/,
    todo: /Correct it/,
  },
  {
    name: 'roles split over an embedded engine',
    check: 'configuration',
    environment: { SPILLWAY_ROLES: 'api' },
    where: /^SPILLWAY_ROLES$/,
    what: /no other process reaches/,
    todo: /SPILLWAY_CLICKHOUSE_URL/,
  },
  {
    name: 'a cluster without a common key',
    check: 'configuration',
    environment: { SPILLWAY_DATABASE_URL: nowhere, SPILLWAY_CLICKHOUSE_URL: noClickHouse },
    where: /^SPILLWAY_SECRET_KEY$/,
    what: /a key of its own/,
    todo: /same key/,
  },
  {
    name: 'a file of certificates that is none',
    check: 'configuration',
    environment: { SPILLWAY_CA_FILE: import.meta.filename },
    where: /^SPILLWAY_CA_FILE$/,
    what: /holds no certificate/,
    todo: /PEM/,
  },
  {
    name: 'a directory of datasets that is not there',
    check: 'configuration',
    environment: { SPILLWAY_DATASETS: '/no/such/directory' },
    where: /^SPILLWAY_DATASETS$/,
    what: /cannot be read \(ENOENT\)/,
    todo: /right directory/,
  },
  {
    name: 'a demo without a place for files',
    check: 'configuration',
    environment: { SPILLWAY_DEMO: '1', SPILLWAY_FILE_ROOT: '' },
    where: /^SPILLWAY_DEMO$/,
    what: /file:\/\/ is off/,
    todo: /SPILLWAY_FILE_ROOT/,
    level: 'doubtful',
  },
  {
    name: 'destinations allowed everywhere',
    check: 'configuration',
    environment: { SPILLWAY_ALLOWED_NETWORKS: '0.0.0.0/0' },
    where: /^SPILLWAY_ALLOWED_NETWORKS$/,
    what: /metadata service/,
    todo: /Name only/,
    level: 'doubtful',
  },
  {
    name: 'an engine that may take more than there is',
    check: 'machine',
    environment: { SPILLWAY_ENGINE_MEMORY_BYTES: '1000000000000' },
    where: /^SPILLWAY_ENGINE_MEMORY_BYTES$/,
    what: /1000\.0 GB of /,
    todo: /half/,
  },
  {
    name: 'a data directory below a file',
    check: 'disk',
    environment: { SPILLWAY_DATA: join(import.meta.filename, 'data') },
    where: /doctor\.test\.ts\/data$/,
    what: /cannot be looked at \(ENOTDIR\)/,
    todo: /SPILLWAY_DATA/,
  },
  {
    name: 'a data directory that others may write to',
    check: 'disk',
    arrange: (data) => chmod(data, 0o777),
    where: /copy$/,
    what: /Others may write to it \(mode 777\)/,
    todo: /chmod 700/,
  },
  {
    name: 'a file where the directory for files should be',
    check: 'disk',
    environment: { SPILLWAY_FILE_ROOT: import.meta.filename },
    where: /doctor\.test\.ts$/,
    what: /It is no directory/,
    todo: /SPILLWAY_FILE_ROOT/,
  },
  {
    name: 'a key file that cannot be looked at',
    check: 'secret key',
    environment: { SPILLWAY_DATA: join(import.meta.filename, 'data') },
    where: /secret\.key$/,
    what: /cannot be looked at \(ENOTDIR\)/,
    todo: /user of the service/,
  },
  {
    name: 'a key file that others may read',
    check: 'secret key',
    arrange: (data) => chmod(join(data, 'secret.key'), 0o644),
    where: /secret\.key$/,
    what: /Others may read it \(mode 644\)/,
    todo: /chmod 600/,
  },
  {
    name: 'a key file that is damaged',
    check: 'secret key',
    arrange: (data) => writeFile(join(data, 'secret.key'), 'gone'),
    where: /secret\.key$/,
    what: /does not hold 32 bytes/,
    todo: /backup/,
  },
  {
    name: 'another key than the one of the stored secrets',
    check: 'secret key',
    environment: { SPILLWAY_SECRET_KEY: randomBytes(32).toString('base64') },
    where: /^SPILLWAY_SECRET_KEY$/,
    what: /not the key that jobs 1, 2 were sealed with/,
    todo: /what it was/,
  },
  {
    name: 'a PostgreSQL that does not run',
    check: 'database',
    environment: { SPILLWAY_DATABASE_URL: nowhere },
    where: /^SPILLWAY_DATABASE_URL$/,
    what: /ECONNREFUSED/,
    todo: /Start it/,
  },
  {
    name: 'a damaged database',
    check: 'database',
    arrange: (data) => writeFile(join(data, 'spillway.db'), randomBytes(8192)),
    where: /copy$/,
    what: /not a database/,
    todo: /backup/,
  },
  {
    name: 'migrations that have not run',
    check: 'database',
    arrange: (data) => sql(data, "delete from kysely_migration where name like '0003%'"),
    where: /copy$/,
    what: /have not run yet: 0003-jobs/,
    todo: /spillway migrate/,
  },
  {
    name: 'a database of a newer version',
    check: 'database',
    arrange: (data) => sql(data, "insert into kysely_migration values ('9999-later', '2030-01-01')"),
    where: /copy$/,
    what: /does not know 9999-later/,
    todo: /that version/,
  },
  {
    name: 'a ClickHouse that does not run',
    check: 'records',
    environment: { SPILLWAY_CLICKHOUSE_URL: noClickHouse },
    where: /^SPILLWAY_CLICKHOUSE_URL$/,
    what: /ECONNREFUSED/,
    todo: /Start it/,
  },
  {
    name: 'a clock that was set back',
    check: 'clock',
    clock: systemClock,
    where: /clock of this machine/,
    what: /windows were exported up to/,
    todo: /synchronisation/,
  },
  {
    name: 'a clock of another century',
    check: 'clock',
    clock: () => 0n,
    where: /clock of this machine/,
    what: /1970-01-01T00:00:00Z, which cannot be/,
    todo: /synchronisation/,
  },
  {
    name: 'an address of another machine',
    check: 'port',
    environment: { SPILLWAY_HOST: '192.0.2.1' },
    where: /^SPILLWAY_HOST$/,
    what: /cannot be listened on: .*EADDRNOTAVAIL/,
    todo: /address of this machine/,
  },
  {
    name: 'a destination in a network that is not allowed',
    check: 'destinations',
    environment: { SPILLWAY_ALLOWED_NETWORKS: '' },
    where: /^job 2, https:\/\/127\.0\.0\.1:\d+\/in/,
    what: /is not allowed as a destination/,
    todo: /SPILLWAY_ALLOWED_NETWORKS/,
  },
  {
    name: 'a destination whose certificate nobody vouches for',
    check: 'destinations',
    environment: { SPILLWAY_CA_FILE: '' },
    where: /^job 2/,
    what: /TLS failed/,
    todo: /SPILLWAY_CA_FILE/,
  },
  {
    name: 'files where the kind is off',
    check: 'destinations',
    environment: { SPILLWAY_FILE_ROOT: '' },
    where: /^job 1, file:/,
    what: /switched off/,
    todo: /SPILLWAY_FILE_ROOT/,
  },
]

describe('each thing that is put wrong is named, with its place and what to do', () => {
  for (const { name, check, environment, arrange, where, what, todo, level = 'wrong', clock } of misconfigurations) {
    test(name, async (t) => {
      const data = join(place, 'copy')
      t.after(() => rm(data, { recursive: true, force: true }))
      const isRecords = (path: string) => /\/(records|spool)(\/|$)/.test(path)
      await cp(healthy.SPILLWAY_DATA!, data, { recursive: true, filter: (path) => !isRecords(path) })
      await arrange?.(data)
      const found = troubles(await look({ ...healthy, SPILLWAY_DATA: data, ...environment }, check, clock))
      assert.equal(found.length, 1, JSON.stringify(found, null, 2))
      const [finding] = found
      assert.equal(finding?.level, level)
      assert.match(finding?.where ?? '', where)
      assert.match(finding?.what ?? '', what)
      assert.match(finding?.todo ?? '', todo)
      assert.doesNotMatch(JSON.stringify(finding), /hush/)
    })
  }
})

test('a receiver that is down, and a name that nobody has, are told apart', async (t) => {
  const data = join(place, 'unreachable')
  await cp(healthy.SPILLWAY_DATA!, data, { recursive: true, filter: (path) => !/\/records/.test(path) })
  t.after(() => rm(data, { recursive: true, force: true }))
  const down = await listen(() => undefined)
  await down.stop()
  const moved = await examineWithDestination(data, `https://127.0.0.1:${down.port}/in`)
  assert.match(moved.what, /connection refused/)
  assert.match(moved.todo ?? '', /firewall/)
  const unknown = await examineWithDestination(data, 'https://no-such-name.invalid/in')
  assert.match(unknown.what, /no-such-name\.invalid/)
  assert.match(unknown.todo ?? '', /resolver/)
})

/** The job to the receiver, its destination sealed anew with the key of the data directory. */
async function examineWithDestination(data: string, conf: string): Promise<Finding> {
  const vault = makeVault(Buffer.from(await readFile(join(data, 'secret.key'), 'utf8'), 'base64'))
  sql(data, `update jobs set conf_sealed = '${vault.seal(conf)}' where id = 2`)
  const [finding, ...more] = troubles(await look({ ...healthy, SPILLWAY_DATA: data }, 'destinations'))
  assert.ok(finding)
  assert.deepEqual(more, [])
  return finding
}

test('a port that another program has, and a data directory whose holder is silent, are named', async () => {
  const other = await listen((_, response) => void response.end('hello'))
  try {
    const [taken] = troubles(await look({ ...healthy, SPILLWAY_PORT: String(other.port) }, 'port'))
    assert.match(taken?.what ?? '', /^Another program has port \d+/)
  } finally {
    await other.stop()
  }
  const lock = lockDataDirectory(healthy.SPILLWAY_DATA!)
  try {
    const [silent] = troubles(await look(healthy, 'port'))
    assert.equal(silent?.where, healthy.SPILLWAY_DATA)
    assert.match(silent?.what ?? '', /A process holds it, but no Spillway answers/)
  } finally {
    lock.release()
  }
})

test('the clock is compared with that of the database', async () => {
  const postgres = await freshPostgres()
  try {
    const environment = { ...healthy, SPILLWAY_DATABASE_URL: postgres.url }
    const [empty, ...more] = await look(environment, 'database')
    assert.match(empty?.what ?? '', /^PostgreSQL \d+\.\d+ answers\.$/)
    assert.match(more[0]?.what ?? '', /the first start makes the tables/)
    assert.deepEqual(troubles(await look(environment, 'clock', systemClock)), [])
    const [ahead] = troubles(await look(environment, 'clock', () => systemClock() + 60n * second))
    assert.match(ahead?.what ?? '', /^It is (59|60)(\.\d+)? s ahead of that of the database\.$/)
  } finally {
    await postgres.drop()
  }
})

test('the command ends with 1 when something is wrong and with 0 when nothing is, and prints JSON on demand', async () => {
  const env = { PATH: process.env.PATH ?? '', ...healthy, SPILLWAY_PORT: '0' }
  const doctor = (more: Environment, ...words: string[]) =>
    promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', main, 'doctor', ...words], {
      env: { ...env, ...more },
    }).then(
      ({ stdout }) => ({ code: 0, stdout }),
      ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
    )
  const bad = await doctor({ SPILLWAY_PROT: '80', SPILLWAY_DATA: join(place, 'none') }, '--json')
  assert.equal(bad.code, 1)
  const [first] = JSON.parse(bad.stdout) as Finding[]
  assert.deepEqual([first?.check, first?.level, first?.where], ['configuration', 'wrong', 'SPILLWAY_PROT'])
  const good = await doctor({ SPILLWAY_DATA: join(place, 'none') })
  assert.equal(good.code, 0, good.stdout)
  assert.match(good.stdout, /\n\n0 wrong, 0 doubtful, \d+ fine\.\n$/)
})
