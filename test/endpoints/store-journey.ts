/** What every object store must take from us, whether it is an emulator of ours or the real server: one walk, asserted. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import {
  type Destination,
  judgeDestination,
  type Outcome,
  type Outside,
  type Parcel,
} from '../../src/destinations/index.ts'

export type StoreUnderTest = {
  /** The destination string for a directory below the store's bucket. */
  conf(directory: string): string
  /** A string that reads well and may not write: a forged signature, a wrong key, a bucket that is not there. */
  readonly forbidden: string
  readonly outside: Outside
  /** What lies under a key, by the store's own word. */
  read(key: string): Promise<Buffer | undefined>
}

const at = new Date('2026-01-02T03:04:05Z')
const batch = (from: number) =>
  Array.from({ length: 1000 }, (_, i) => `{"RayID":"${(from + i).toString(16).padStart(16, '0')}"}\n`).join('')

export async function walkStore(store: StoreUnderTest): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'spillway-walk-'))
  try {
    await writeChallenge(store)
    await writeSpooled(store, join(directory, 'part.log.gz'))
    await writeOddNames(store)
    const refused = await send(store, judged(store.forbidden), 'x.txt', { body: Buffer.from('x') })
    assert.equal(refused.outcome, 'refused', JSON.stringify(refused))
  } finally {
    await rm(directory, { recursive: true })
  }
}

async function writeChallenge(store: StoreUnderTest): Promise<void> {
  const destination = judged(store.conf('logs/{DATE}'))
  const token = {
    body: Buffer.from('eyJ0b2tlbiI6MX0\n'),
    contentType: 'text/plain',
    contentEncoding: 'identity',
  } as const
  assertDelivered(await send(store, destination, 'ownership-challenge-5f2c9a01.txt', token))
  assert.equal(String(await store.read('logs/20260102/ownership-challenge-5f2c9a01.txt')), 'eyJ0b2tlbiI6MX0\n')
}

/** A spooled part goes out twice, as after a crash: the store holds it once, with the same bytes. */
async function writeSpooled(store: StoreUnderTest, file: string): Promise<void> {
  const bytes = gzipSync(batch(0))
  await writeFile(file, bytes)
  const body = { file, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
  const destination = judged(store.conf('logs/{DATE}/{HOUR}'))
  const leaf = '20260102T030400Z_20260102T030500Z_9af500e2.log.gz'
  for (const _attempt of [1, 2]) assertDelivered(await send(store, destination, leaf, { body }))
  const key = `logs/20260102/03/${leaf}`
  assert.equal(gunzipSync((await store.read(key)) ?? '').toString(), batch(0))
  assert.deepEqual(await destination.look?.(key, store.outside), { sight: 'there', bytes: bytes.length })
  assert.deepEqual(await destination.look?.(`${key}.not`, store.outside), { sight: 'missing' })
}

async function writeOddNames(store: StoreUnderTest): Promise<void> {
  for (const name of ["it's (a) test!", 'a+b&c=d;e', 'Upper, lower', '$@:~*']) {
    const destination = judged(store.conf(name.split('/').map(encodeURIComponent).join('/')))
    assertDelivered(await send(store, destination, 'x.txt', { body: Buffer.from(name) }))
    assert.equal(String(await store.read(`${name}/x.txt`)), name)
  }
}

const judged = (conf: string): Destination => {
  const destination = judgeDestination(conf)
  assert.ok(destination.ok, JSON.stringify(destination))
  return destination.value
}

const assertDelivered = (outcome: Outcome): void => assert.equal(outcome.outcome, 'delivered', JSON.stringify(outcome))

function send(
  { outside }: StoreUnderTest,
  destination: Destination,
  leaf: string,
  parcel: Pick<Parcel, 'body'> & Partial<Parcel>,
) {
  const name = destination.objectName(at, leaf)
  const usual = { name, contentType: 'application/x-ndjson', contentEncoding: 'gzip', batchId: 'job-1-part-0' } as const
  return destination.deliver({ ...usual, ...parcel }, outside)
}
