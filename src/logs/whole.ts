/**
 * Whether an answer of the record store is all of what was asked for. A proxy may end half an answer as if it were whole,
 * and older servers put the words of an error at its end. So where somebody may stand in between, what passes is looked
 * at: unpacked, its line ends counted, its end compared. That costs 1.8 CPU-seconds per GB of text, nearly all of it
 * unpacking, in the process that reads and not in the store.
 */
import { finished } from 'node:stream/promises'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { brokenOff } from './asking.ts'
import type { Rendering } from './render.ts'

/** What is to come; the text's length in bytes only where line ends do not tell the number of records. */
export type Expected = { readonly rows: number; readonly bytes?: number }

export type Packing = 'identity' | 'gzip' | 'zstd'

export type Look = {
  /** Passes the bytes on, and throws at their end when that is not the end of what was asked for. */
  through(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer>
  /** So far, unpacked. */
  bytes(): number
}

type Seen = { bytes: number; lineEnds: number; tail: Buffer }

export function lookThrough(rendering: Rendering, packing: Packing, expected: () => Promise<Expected>): Look {
  const seen: Seen = { bytes: 0, lineEnds: 0, tail: Buffer.alloc(0) }
  const tailBytes = Math.max(parquetMagic.length, Buffer.byteLength(rendering.end))
  const reader = unpacking(packing, (text) => look(seen, text, tailBytes))
  return {
    bytes: () => seen.bytes,
    async *through(chunks) {
      try {
        for await (const chunk of chunks) {
          await reader.take(chunk)
          yield chunk
        }
        await reader.end()
      } finally {
        reader.stop()
      }
      const all = await expected()
      if (!isWhole(rendering, seen, all))
        throw brokenOff(`${seen.lineEnds} line ends and ${seen.bytes} bytes came of ${all.rows} records`)
    },
  }
}

const newline = 0x0a
const parquetMagic = Buffer.from('PAR1')

function look(seen: Seen, text: Buffer, tailBytes: number): void {
  seen.bytes += text.length
  for (let at = text.indexOf(newline); at !== -1; at = text.indexOf(newline, at + 1)) seen.lineEnds += 1
  seen.tail = (text.length < tailBytes ? Buffer.concat([seen.tail, text]) : text).subarray(-tailBytes)
}

function isWhole({ format, lineEnds, frameBytes, end }: Rendering, seen: Seen, { rows, bytes }: Expected): boolean {
  // The footer is written last, when the number of rows is known.
  if (format === 'Parquet') return seen.bytes > 2 * parquetMagic.length && seen.tail.equals(parquetMagic)
  if (rows === 0) return seen.bytes === frameBytes.batch
  if (!lineEnds) return seen.bytes === bytes
  const { record, between, batch } = lineEnds
  return seen.lineEnds === batch + rows * record + (rows - 1) * between && seen.tail.toString().endsWith(end)
}

type Unpacking = { take(chunk: Buffer): Promise<void>; end(): Promise<void>; stop(): void }

function unpacking(packing: Packing, onText: (text: Buffer) => void): Unpacking {
  if (packing === 'identity') return { take: async (chunk) => onText(chunk), end: async () => {}, stop: () => {} }
  // The usual 16 KB at a time cost half as much again.
  const chunkSize = 1 << 18
  const stream = packing === 'gzip' ? createGunzip({ chunkSize }) : createZstdDecompress({ chunkSize })
  // A stream that fails does not call back whoever wrote last.
  let wake = () => {}
  stream.on('data', onText).on('error', () => wake())
  return {
    async take(chunk) {
      await new Promise<void>((taken) => {
        wake = taken
        stream.write(chunk, () => taken())
      })
      if (stream.errored) throw brokenOff(stream.errored.message)
    },
    async end() {
      stream.end()
      await finished(stream).catch((error: Error) => {
        throw brokenOff(error.message)
      })
    },
    stop: () => stream.destroy(),
  }
}
