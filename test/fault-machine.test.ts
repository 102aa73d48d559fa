/** Faults of the machine: the disk is full or may not be written, the clock jumps, the process stands still. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { second } from '../src/base/index.ts'
import { credentialHeaders } from '../src/contract/index.ts'
import { StartupError } from '../src/house-lock.ts'
import { startHouse } from './house.ts'
import { type ExportHouse, eventually, rays, startExportHouse } from './journeys/export-house.ts'

/** Sends records with these ray ids; the status of the answer. */
async function ingest(
  { baseUrl, zone, credential }: Pick<ExportHouse, 'baseUrl' | 'zone' | 'credential'>,
  names: readonly string[],
): Promise<number> {
  const answer = await fetch(`${baseUrl}/zones/${zone}/logs/ingest/http_requests`, {
    method: 'POST',
    headers: { ...credentialHeaders(credential), 'content-type': 'application/x-ndjson' },
    body: names.map((RayID) => `${JSON.stringify({ RayID })}\n`).join(''),
  })
  await answer.arrayBuffer()
  return answer.status
}

/** A disk of its own for a test; undefined where mounting is not allowed. */
function mountSmallDisk(megabytes: number): { readonly at: string; unmount(): void } | undefined {
  const at = mkdtempSync(join(tmpdir(), 'spillway-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', at], { stdio: 'pipe' })
  } catch {
    rmSync(at, { recursive: true })
    return undefined
  }
  return {
    at,
    unmount() {
      execFileSync('umount', ['--lazy', at])
      rmSync(at, { recursive: true, force: true })
    },
  }
}

const disk = mountSmallDisk(128)
const noDisk = disk ? false : 'mounting a tmpfs is not allowed here: needs root'
after(() => disk?.unmount())

test('on a full disk nothing is acknowledged, nothing breaks, and the service goes on by itself when there is room', {
  skip: noDisk,
}, async () => {
  const data = join(disk!.at, 'data')
  const house = await startExportHouse({ data })
  try {
    await house.toFiles('kept')
    const acknowledged: string[] = []
    assert.equal(await ingest(house, rays(20, 'before-')), 200)
    acknowledged.push(...rays(20, 'before-'))
    const ballast = join(disk!.at, 'ballast')
    // Until the disk says no.
    await assert.rejects(writeFile(ballast, Buffer.alloc(128 << 20)), { code: 'ENOSPC' })
    const statuses = new Set<number>()
    for (let batch = 0; batch < 10; batch += 1) {
      const sent = rays(2_000, `full-${batch}-`)
      const status = await ingest(house, sent)
      statuses.add(status)
      if (status === 200) acknowledged.push(...sent)
    }
    assert.ok(statuses.has(503), [...statuses].join())
    assert.deepEqual(
      [...statuses].filter((status) => status !== 200 && status !== 503),
      [],
    )
    assert.equal((await fetch(`${house.service.url}/healthz`)).status, 200)
    await rm(ballast)
    await eventually(async () => (await ingest(house, ['after'])) === 200)
    acknowledged.push('after')
    const filed = await eventually(async () => {
      const all = (await house.filed('kept')).flat()
      return all.includes('after') && all.length >= acknowledged.length && all
    }, 60_000)
    assert.deepEqual(filed.toSorted(), acknowledged.toSorted())
  } finally {
    await house.stop()
  }
})

test('a data directory that may not be written stops the start with a sentence', { skip: noDisk }, async () => {
  const readOnly = mountSmallDisk(1)!
  try {
    execFileSync('mount', ['-o', 'remount,ro', readOnly.at])
    await assert.rejects(startHouse({ data: readOnly.at }), (error: Error) => {
      assert.ok(error instanceof StartupError)
      assert.match(error.message, /cannot be written \(EROFS\); set SPILLWAY_DATA to one that can/)
      return true
    })
  } finally {
    readOnly.unmount()
  }
})

describe('one house whose time goes astray', async () => {
  let house: ExportHouse
  const hour = 3600n * second
  after(() => house?.stop())

  /** Sends records, and waits until every record sent so far was exported, each once. */
  const sent: string[] = []
  async function carries(prefix: string): Promise<void> {
    sent.push(...rays(10, prefix))
    await house.send(...rays(10, prefix))
    const filed = await eventually(async () => {
      const all = (await house.filed('kept')).flat()
      return all.length >= sent.length && all
    }, 30_000)
    assert.deepEqual(filed.toSorted(), sent.toSorted())
  }

  test('a clock that steps back and forth by an hour loses nothing, doubles nothing and stops nothing', async () => {
    house = await startExportHouse()
    await house.toFiles('kept')
    await carries('level-')
    house.tick(-hour)
    await carries('back-')
    await eventually(async () => house.logLines.some((line) => line.includes('the clock was set back')))
    house.tick(2n * hour)
    await carries('forth-')
    house.tick(-hour)
    await carries('level-again-')
  })

  test('a process that stands still for seconds goes on where it was', async () => {
    const sending = Promise.all([0, 1, 2, 3].map((batch) => house.send(...rays(10, `still-${batch}-`))))
    sent.push(...[0, 1, 2, 3].flatMap((batch) => rays(10, `still-${batch}-`)))
    // Nothing of ours runs meanwhile: no timer, no answer, no lease that is renewed.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000)
    await sending
    await carries('moving-')
  })

  test('forty times as many senders are shed with 429 or served, and every acknowledged record is exported', async () => {
    const kept: string[] = []
    const statuses = new Map<number, number>()
    // 8 MB each once unpacked, and 56 at once: far more than may be in memory.
    const filler = 'x'.repeat(265_000)
    const bodies = Array.from({ length: 56 }, (_, number) => rays(30, `flood-${number}-`))
    const packed = bodies.map((names) =>
      gzipSync(names.map((RayID) => `${JSON.stringify({ RayID, ClientRequestURI: filler })}\n`).join(''), { level: 1 }),
    )
    const sender = async (names: readonly string[], at: number) => {
      const answer = await fetch(`${house.baseUrl}/zones/${house.zone}/logs/ingest/http_requests`, {
        method: 'POST',
        headers: {
          ...credentialHeaders(house.credential),
          'content-type': 'application/x-ndjson',
          'content-encoding': 'gzip',
        },
        body: packed[at]!,
      })
      await answer.arrayBuffer()
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      if (answer.status === 429) assert.ok(Number(answer.headers.get('retry-after')) >= 1)
      if (answer.status === 200) kept.push(...names)
    }
    await Promise.all(bodies.map(sender))
    assert.deepEqual(
      [...statuses.keys()].filter((status) => status !== 200 && status !== 429),
      [],
    )
    assert.ok((statuses.get(429) ?? 0) > 0, 'some were shed')
    assert.ok((statuses.get(200) ?? 0) > 0, 'some were served')
    sent.push(...kept)
    await carries('calm-')
  })
})
