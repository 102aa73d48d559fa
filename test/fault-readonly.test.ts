/** A data directory that turns read-only under a running service: by a file system in trouble, and by a mount. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, before, test } from 'node:test'
import { credentialHeaders } from '../src/contract/index.ts'
import { type ExportHouse, eventually, rays, startExportHouse } from './journeys/export-house.ts'

const run = (program: string, ...args: readonly string[]): string =>
  execFileSync(program, args, { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' }).trim()

const top = mkdtempSync(join(tmpdir(), 'spillway-readonly-'))
const at = join(top, 'disk')
const image = join(top, 'image')

/** An ext4 of its own in a file; false where that is not allowed. */
function mountDisk(): boolean {
  try {
    mkdirSync(at)
    writeFileSync(image, '')
    truncateSync(image, 256 << 20)
    run('mkfs.ext4', '-q', '-F', '-m', '0', image)
    run('mount', '-o', 'loop,errors=remount-ro', image, at)
    return true
  } catch {
    return false
  }
}

const isMounted = mountDisk()
const skip = isMounted ? false : 'mounting an ext4 is not allowed here: needs root and a loop device'
const data = join(at, 'data')
const exports = join(top, 'exports')
let house: ExportHouse
const acknowledged: string[] = []

const start = () => startExportHouse({ data, environment: { SPILLWAY_FILE_ROOT: exports } })

before(async () => {
  if (isMounted) house = await start()
})
after(async () => {
  await house?.stop()
  if (isMounted) run('umount', '--lazy', at)
  rmSync(top, { recursive: true, force: true })
})

async function ask(method: string, path: string, body?: string, type = 'application/json') {
  const answer = await fetch(`${house.baseUrl}${path}`, {
    method,
    headers: { ...credentialHeaders(house.credential), ...(body === undefined ? {} : { 'content-type': type }) },
    ...(body === undefined ? {} : { body }),
  })
  const text = await answer.text()
  return { status: answer.status, text, retryAfter: answer.headers.get('retry-after') }
}

async function ingest(...names: readonly string[]) {
  const lines = names.map((RayID) => `${JSON.stringify({ RayID })}\n`).join('')
  const answer = await ask('POST', `/zones/${house.zone}/logs/ingest/http_requests`, lines, 'application/x-ndjson')
  if (answer.status === 200) acknowledged.push(...names)
  return answer
}

const untilAllAreFiled = async () => {
  const filed = await eventually(async () => {
    const all = (await house.filed('kept')).flat()
    return all.length >= acknowledged.length && all
  }, 60_000)
  assert.deepEqual(filed.toSorted(), acknowledged.toSorted())
}

test('where a mount makes it read-only, ingest is told to come again, and goes on by itself when it may be written', {
  skip,
}, async () => {
  await house.toFiles('kept')
  assert.equal((await ingest(...rays(20, 'before-'))).status, 200)
  run('mount', '--bind', data, data)
  run('mount', '-o', 'remount,ro,bind', data)
  try {
    for (const batch of [1, 2, 3]) {
      const { status, retryAfter, text } = await ingest(`within-${batch}`)
      assert.equal(status, 503, text)
      assert.ok(Number(retryAfter) >= 1, 'says when to come again')
    }
    assert.equal((await fetch(`${house.service.url}/healthz`)).status, 200)
  } finally {
    run('umount', data)
  }
  await eventually(async () => (await ingest('after')).status === 200, 30_000)
  await untilAllAreFiled()
})

test('where only parts on their way out cannot be written, records are taken, and jobs wait without being blamed', {
  skip,
}, async () => {
  const spool = join(data, 'spool')
  mkdirSync(spool, { recursive: true })
  run('mount', '--bind', spool, spool)
  run('mount', '-o', 'remount,ro,bind', spool)
  try {
    assert.equal((await ingest(...rays(20, 'unspooled-'))).status, 200)
    await eventually(async () => house.logLines.some((line) => line.includes('a part could not be made')))
    const jobs = await house.ask('GET', '/jobs')
    assert.deepEqual(
      (jobs.body.result as { error_message: string | null }[]).map(({ error_message }) => error_message),
      [null],
    )
  } finally {
    run('umount', spool)
  }
  await untilAllAreFiled()
})

test('on a file system that turned read-only, ingest and changes are told to come again, and all reads go on', {
  skip,
}, async () => {
  // Acknowledged, and not yet exported.
  assert.equal((await ingest(...rays(20, 'doomed-'))).status, 200)
  const device = basename(run('findmnt', '-no', 'SOURCE', at))
  writeFileSync(`/sys/fs/ext4/${device}/trigger_fs_error`, 'a test')
  const changes: readonly (() => ReturnType<typeof ask>)[] = [
    () => ingest('never'),
    () => ask('POST', '/accounts', JSON.stringify({ name: 'never' })),
    () => ask('POST', `/zones/${house.zone}/rulesets`, JSON.stringify(aRuleset)),
    () => ingest('nor this'),
  ]
  for (const change of changes) {
    const { status, retryAfter, text } = await change()
    assert.equal(status, 503, text)
    assert.ok(Number(retryAfter) >= 1, 'says when to come again')
  }
  const reads = ['/user', `/zones/${house.zone}/logexport/jobs`, `/zones/${house.zone}/rulesets`]
  for (const path of reads) assert.equal((await ask('GET', path)).status, 200, path)
  assert.equal((await fetch(`${house.service.url}/healthz`)).status, 200)
})

test('mounted anew, it holds all that was acknowledged', { skip }, async () => {
  await house.stop()
  run('umount', '--lazy', at)
  run('mount', '-o', 'loop', image, at)
  house = await start()
  assert.equal((await ingest('at last')).status, 200)
  await untilAllAreFiled()
})

const aRuleset = { name: 'never', kind: 'zone', phase: 'http_request_firewall_custom', rules: [] }
