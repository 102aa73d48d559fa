/** Bodies as they were before compression: gzip, zstd or plain, with limits that a bomb runs into. */
import { pipeline, Readable, type Transform } from 'node:stream'
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
  const unpack = unpackers.get(name)?.()
  if (!unpack) throw problems.wrongEncoding(encoding)
  let fed = 0
  async function* counted() {
    for await (const chunk of received) {
      fed += chunk.length
      yield chunk
    }
  }
  // Errors of either stream reach the reader of the second, and both are destroyed when the reader stops. (`compose`
  // left the error of a stream that ends early to nobody, which ended the process.)
  pipeline(Readable.from(counted(), { objectMode: false }), unpack, () => {})
  try {
    yield* atMost(unpack, limits.bytes)
    // Node's zstd ends with the first frame and forgets what else came; records must not be lost without a word.
    if (unpack.bytesWritten < fed) throw problems.malformedRequest(`the body is more than one ${name} stream`)
  } catch (error) {
    throw isCodecError(error) ? problems.malformedRequest(`the body is no whole ${name} stream`) : error
  } finally {
    unpack.destroy()
  }
}

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
