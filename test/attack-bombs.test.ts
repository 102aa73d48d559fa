/** Small bodies that unpack to large ones, in every form that ingest takes: refused at the limit, not after it. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { logs } from '../src/contract/index.ts'
import { type House, startHouse } from './house.ts'

const [compressedLimit, limit] = [128 * 1024, 1024 * 1024]
let house: House
before(async () => {
  house = await startHouse({
    environment: {
      SPILLWAY_INGEST_MAX_BYTES: String(compressedLimit),
      SPILLWAY_INGEST_MAX_INFLATED_BYTES: String(limit),
    },
  })
})
after(() => house.stop())

async function ingest(encoding: string, body: Buffer): Promise<{ status: number; codes: number[]; accepted?: number }> {
  const answer = await fetch(`${house.baseUrl}/zones/${house.zone}/logs/ingest/http_requests`, {
    method: 'POST',
    headers: {
      'x-auth-email': house.credential.email,
      'x-auth-key': house.credential.key,
      'content-encoding': encoding,
      'content-type': 'application/x-ndjson',
    },
    body: new Uint8Array(body),
  })
  const { errors, result } = (await answer.json()) as {
    errors: { code: number }[]
    result: { accepted: number } | null
  }
  return {
    status: answer.status,
    codes: errors.map(({ code }) => code),
    ...(result ? { accepted: result.accepted } : {}),
  }
}

const packers = {
  gzip: (bytes: Buffer) => gzipSync(bytes, { level: 9 }),
  zstd: (bytes: Buffer) => zstdCompressSync(bytes),
}
const zeros = Buffer.alloc(64 << 20, '\n')
const tooLarge = { status: 413, codes: [6005] }

for (const [encoding, pack] of Object.entries(packers)) {
  test(`${encoding}: a thousand to one is refused`, async () => {
    const bomb = pack(zeros)
    assert.ok(bomb.length < compressedLimit && zeros.length / bomb.length > 900, `${bomb.length} bytes`)
    assert.deepEqual(await ingest(encoding, bomb), tooLarge)
  })

  test(`${encoding}: several members are read to the last, and to no more than may be`, async () => {
    const member = pack(Buffer.from('{"RayID":"1"}\n'))
    const answer = await ingest(encoding, Buffer.concat([member, member, member]))
    assert.deepEqual(answer, { status: 200, codes: [], accepted: 3 })
    const grown = await ingest(encoding, Buffer.concat(Array(8).fill(pack(Buffer.alloc(limit / 4, '\n')))))
    assert.deepEqual(grown, tooLarge)
    const { status } = await ingest(encoding, Buffer.concat([member, Buffer.from('and more')]))
    assert.equal(status, 400)
  })

  test(`${encoding}: packed twice, it is unpacked once, and what comes out is no record`, async () => {
    const { status, accepted } = await ingest(encoding, pack(pack(zeros)))
    assert.deepEqual({ status, accepted }, { status: 200, accepted: 0 })
    assert.deepEqual(await ingest(`${encoding}, ${encoding}`, pack(pack(zeros))), { status: 415, codes: [6008] })
  })

  test(`${encoding}: one line without end is refused`, async () => {
    assert.deepEqual(await ingest(encoding, pack(Buffer.alloc(16 << 20, '['))), tooLarge)
  })

  test(`${encoding}: more packed bytes than may be sent are refused, whatever they hold`, async () => {
    assert.deepEqual(await ingest(encoding, pack(randomBytes(compressedLimit))), tooLarge)
  })

  test(`${encoding}: half a stream and rubbish behind one are refused`, async () => {
    const whole = pack(Buffer.from('{"RayID":"1"}\n'.repeat(1000)))
    assert.deepEqual(await ingest(encoding, whole.subarray(0, whole.length >> 1)), { status: 400, codes: [6004] })
    assert.deepEqual(await ingest(encoding, Buffer.from('this was never packed')), { status: 400, codes: [6004] })
  })
}

test('zstd: a frame that asks for two gigabytes of window is refused before they are taken', async () => {
  const frame = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, (31 - 10) << 3, 0x01, 0x00, 0x00])
  assert.deepEqual(await ingest('zstd', frame), { status: 400, codes: [6004] })
})

test('after all of them a good batch is taken', async () => {
  const body = new TextEncoder().encode('{"RayID":"good"}\n')
  const call = { scope: house.zoneScope, params: { dataset: 'http_requests' }, body }
  assert.equal((await house.client.call(logs.ingest, call)).accepted, 1)
})
