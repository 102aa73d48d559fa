/** Bodies as they were before compression: gzip, zstd or plain, with limits that a bomb runs into. */
import type { Transform } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { problems } from '../base/index.ts'

export type InflateLimits = {
  /** As received. */
  readonly compressedBytes: number
  readonly bytes: number
}

export const inflateLimits: InflateLimits = { compressedBytes: 64 << 20, bytes: 512 << 20 }

/** A stream that ends early, holds rubbish or grows past its limit is refused with a problem. */
export async function* inflate(
  body: AsyncIterable<Uint8Array>,
  encoding: string,
  limits: InflateLimits = inflateLimits,
): AsyncGenerator<Buffer> {
  const received = atMost(body, limits.compressedBytes)
  const name = encoding.trim().toLowerCase()
  if (name === '' || name === 'identity') {
    yield* received
    return
  }
  const make = unpackers.get(name)
  if (!make) throw problems.wrongEncoding(encoding)
  try {
    yield* atMost(unpacked(received, make), limits.bytes)
  } catch (error) {
    throw isCodecError(error) ? problems.malformedRequest(`the body is no whole ${name} stream`) : error
  } finally {
    // Nobody waits for it: the sender may be silent.
    received.return(undefined).catch(() => {})
  }
}

// Each costs 0.3 ms, and the smallest is nine bytes.
const mostFrames = 1000

/** Node's zstd ends with a frame when more follows in the same piece; a fresh one goes on from there. */
async function* unpacked(pieces: AsyncIterator<Buffer>, make: () => Unpacker): AsyncGenerator<Uint8Array> {
  let unread: Buffer = Buffer.alloc(0)
  let frames = 0
  do {
    frames += 1
    if (frames > mostFrames)
      throw problems.malformedRequest(`the body has more than ${mostFrames} frames; send fewer at once`)
    const unpack = make()
    const feed = async () => {
      for (let read = 0; ; read = unpack.bytesWritten) {
        const next = unread.length > 0 ? { value: unread } : await pieces.next()
        if (next.done) break
        await give(unpack, next.value)
        unread = next.value.subarray(unpack.bytesWritten - read)
        if (unread.length > 0) break
      }
      unpack.end()
    }
    const feeding = feed()
    feeding.catch((error) => unpack.destroy(error))
    try {
      yield* unpack
    } finally {
      unpack.destroy()
    }
    await feeding
  } while (unread.length > 0)
}

const give = (unpack: Unpacker, piece: Buffer): Promise<void> =>
  new Promise((resolve, reject) => unpack.write(piece, (error) => (error ? reject(error) : resolve())))

type Unpacker = Transform & { readonly bytesWritten: number }

const chunkSize = 1 << 20
const unpackers = new Map<string, () => Unpacker>([
  ['gzip', () => createGunzip({ chunkSize })],
  ['x-gzip', () => createGunzip({ chunkSize })],
  ['zstd', () => createZstdDecompress({ chunkSize })],
])

async function* atMost(chunks: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Buffer> {
  let total = 0
  for await (const chunk of chunks) {
    total += chunk.length
    if (total > limit) throw problems.bodyTooLarge(limit)
    yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  }
}

const isCodecError = (error: unknown): boolean => {
  const code = (error as NodeJS.ErrnoException)?.code ?? ''
  return code.startsWith('Z_') || code.startsWith('ZSTD_') || code === 'ERR_STREAM_PREMATURE_CLOSE'
}
