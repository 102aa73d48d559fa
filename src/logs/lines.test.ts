/** Bodies before they are records: how they are unpacked and cut. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { inflate } from './inflate.ts'
import { type Batch, cutLines } from './lines.ts'

async function* cut(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0
  for (let turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1
    yield bytes.subarray(at, at + size)
    at += size
  }
}
const limits = { bytes: 200, lines: 7, lineBytes: 60 }
const show = (batch: Batch) => ({ ...batch, lines: batch.lines.map(String) })

test('however the bytes arrive, they are cut into the same batches', async () => {
  const line = fc.oneof(
    fc.constantFrom('', ' ', '{}', 'x', '  {"a":1}\r', `{"a":"${'x'.repeat(70)}"}`),
    fc.json().map((json) => `{"v":${json}}`),
  )
  const sizes = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 40 }), sizes, async (lines, sizesOf) => {
      const bytes = Buffer.from(lines.join('\n'))
      const whole = (await Array.fromAsync(cutLines(cut(bytes, [bytes.length || 1]), limits))).map(show)
      const pieces = (await Array.fromAsync(cutLines(cut(bytes, sizesOf), limits))).map(show)
      assert.deepEqual(pieces, whole)
      const numbers = whole.flatMap((batch) => [...batch.numbers, ...batch.faults.map((fault) => fault.line)])
      const visible = lines.flatMap((text, index) => (text.trim() === '' ? [] : [index + 1]))
      assert.deepEqual(
        numbers.toSorted((a, b) => a - b),
        visible,
      )
    }),
  )
})

const unpack = async (bytes: Uint8Array, encoding: string, sizes = [7]) =>
  Buffer.concat(
    await Array.fromAsync(inflate(cut(Buffer.from(bytes), sizes), encoding, { compressedBytes: 10_000, bytes: 1000 })),
  )

for (const [encoding, pack] of [
  ['gzip', gzipSync],
  ['zstd', zstdCompressSync],
  ['identity', (text: string) => Buffer.from(text)],
] as const) {
  test(`a body in ${encoding} comes out as it was`, async () => {
    assert.equal((await unpack(pack('{"a":1}\n'), encoding)).toString(), '{"a":1}\n')
  })
}

for (const [encoding, pack] of [
  ['gzip', gzipSync],
  ['zstd', zstdCompressSync],
] as const) {
  test(`a bomb in ${encoding} runs into the limit`, async () => {
    await assert.rejects(unpack(pack('x'.repeat(1_000_000)), encoding), { refusal: 'tooLarge' })
  })
  test(`half a body in ${encoding} is refused`, async () => {
    const whole = pack('{"a":"some text that does not pack well: 93kd02mf8"}')
    await assert.rejects(unpack(whole.subarray(0, whole.length - 6), encoding), { refusal: 'invalid' })
  })
  test(`${encoding}: whole streams behind each other are one body, however they arrive; half of the last is refused`, async () => {
    const texts = fc.array(fc.string({ maxLength: 30 }), { minLength: 1, maxLength: 5 })
    const sizes = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(texts, sizes, async (all, sizesOf) => {
        const bytes = Buffer.concat(all.map((text) => pack(text)))
        assert.equal((await unpack(bytes, encoding, sizesOf)).toString(), all.join(''))
        await assert.rejects(unpack(bytes.subarray(0, -1), encoding, sizesOf), { refusal: 'invalid' })
        await assert.rejects(unpack(Buffer.concat([bytes, Buffer.from('{}')]), encoding, sizesOf), {
          refusal: 'invalid',
        })
      }),
    )
  })
  test(`rubbish that calls itself ${encoding} is refused`, async () => {
    await assert.rejects(unpack(Buffer.from('{"a":1}'), encoding), { refusal: 'invalid' })
  })
}

test('a body of more frames of zstd than are worth the work is refused', async () => {
  const frames = (count: number) => unpack(Buffer.concat(Array(count).fill(zstdCompressSync(''))), 'zstd', [1 << 16])
  assert.equal((await frames(400)).length, 0)
  await assert.rejects(frames(1001), { refusal: 'invalid', message: /more than 1000 frames/ })
})

test('an encoding nobody knows is refused, and so is a body over the limit', async () => {
  await assert.rejects(unpack(Buffer.from('x'), 'br'), { refusal: 'mediaType' })
  await assert.rejects(unpack(Buffer.alloc(11_000), 'identity'), { refusal: 'tooLarge' })
})
