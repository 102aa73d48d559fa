/**
 * Writes a window's records as compressed part files, as the exporter sends them. Asked again, with any number of
 * threads, it writes the same bytes: the order is total, where a part ends depends on the records alone, and the
 * engine's gzip carries no time.
 */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createZstdDecompress } from 'node:zlib'
import { type Log, Problem, type Scope } from '../base/index.ts'
import type { Dataset, Selection } from '../datasets/index.ts'
import { asking, asProblem, brokenOff, type RecordStore } from './connect.ts'
import { type Rendering, renderingOf } from './render.ts'
import { asBytes, countRecords, readBytes, type ScanOptions } from './scan.ts'
import { type Place, placesQuery, type Query, type SelectLimits, select, type Window } from './select.ts'
import { type Look, lookThrough, type Packing } from './whole.ts'

export type SpoolNeeds = {
  readonly store: RecordStore
  /** Made if missing. */
  readonly spool: string
  readonly log: Log
}

export type SpoolOptions = {
  /** What the files are called: `<name>.<part>`. */
  readonly name: string
  readonly maxRecords?: number
  /** Before compression. A single record that is larger makes a part of its own. */
  readonly maxBytes?: number
  readonly level?: number
  readonly signal?: AbortSignal
}

export type SpooledPart = {
  readonly file: string
  readonly rows: number
  /** Before compression. */
  readonly rawBytes: number
  readonly bytes: number
  /** Hex. */
  readonly sha256: string
}

/** What the parts being made and sent take on disk. */
export async function spoolBytes({ spool }: Pick<SpoolNeeds, 'spool'>): Promise<number> {
  const names = await readdir(spool).catch(() => [])
  // A part may be gone by the time it is looked at.
  const sizes = await Promise.all(
    names.map(async (name) => (await stat(join(spool, name)).catch(() => undefined))?.size),
  )
  return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0)
}

/** No records, no parts. */
export async function spoolParts(
  needs: SpoolNeeds,
  scope: Scope,
  dataset: Dataset,
  window: Window,
  selection: Selection,
  options: SpoolOptions,
): Promise<readonly SpooledPart[]> {
  const { maxRecords = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY } = options
  const rows = await countRecords(needs, scope, dataset, window, selection)
  if (rows === 0) return []
  const rendering = renderingOf(dataset, selection)
  const withLengths = Number.isFinite(maxBytes) || (needs.store.mayBeCut && isWithoutLines(rendering))
  const isOnePart = rows <= maxRecords && !withLengths
  const pieces: readonly Piece[] = isOnePart
    ? [{ rows, limits: {} }]
    : cutPieces(
        await readPlaces(needs, scope, dataset, window, selection, withLengths, rows),
        maxRecords,
        maxBytes,
        rendering.frameBytes,
      )
  const parts: SpooledPart[] = []
  const fileOf = (index: number) => join(needs.spool, `${options.name}.${index}`)
  try {
    await mkdir(needs.spool, { recursive: true, mode: 0o700 })
    for (const [index, piece] of pieces.entries()) {
      const file = fileOf(index)
      const query = select(dataset, scope, window, selection, piece.limits)
      const packing = packingOf(selection)
      const look = needs.store.mayBeCut ? lookThrough(rendering, packing, async () => piece) : undefined
      const written = await writePart(needs, query, scanOptions(selection, options), file, look)
      const rawBytes = look?.bytes() ?? (await rawSize(file, written.bytes, packing))
      parts.push({ file, rows: piece.rows, ...written, rawBytes })
    }
    return parts
  } catch (error) {
    // Half a window is of no use to anyone.
    await Promise.all(pieces.map((_, index) => rm(fileOf(index), { force: true }).catch(() => {})))
    if (options.signal?.aborted) throw error
    const problem = asProblem(error)
    if (problem instanceof Problem) needs.log.warn({ err: error }, 'a part could not be made; it is tried again')
    throw problem
  }
}

/** As the selection says; a parquet file packs its own pages and says `none`. */
const packingOf = ({ compression }: Selection): Packing => (compression === 'none' ? 'identity' : compression)

/** Text of which only the length tells whether all of it has come. */
const isWithoutLines = ({ format, lineEnds }: Rendering): boolean => format === 'Template' && !lineEnds

const scanOptions = (selection: Selection, options: SpoolOptions): ScanOptions => ({
  encoding: packingOf(selection),
  ...(options.level === undefined ? {} : { level: options.level }),
  ...(options.signal === undefined ? {} : { signal: options.signal }),
})

/** Every record's place and size, in 16 bytes as they came: as objects they cost a tenth of an export. */
type Places = { readonly count: number; bytesOf(index: number): number; placeOf(index: number): Place }

/** Only asked when a window may need more than one part. */
async function readPlaces(
  { store }: SpoolNeeds,
  scope: Scope,
  dataset: Dataset,
  window: Window,
  selection: Selection,
  withLengths: boolean,
  rows: number,
): Promise<Places> {
  const stream = await readBytes(store.client, placesQuery(dataset, scope, window, selection, withLengths))
  const bytes = Buffer.concat(await stream.toArray())
  if (bytes.length !== rows * 16) throw brokenOff(`${bytes.length} bytes came of the places of ${rows} records`)
  return {
    count: rows,
    bytesOf: (index) => bytes.readUInt32LE(index * 16 + 12),
    placeOf: (index) => ({ at: bytes.readBigUInt64LE(index * 16), seq: bytes.readUInt32LE(index * 16 + 8) }),
  }
}

export type Piece = {
  readonly rows: number
  /** Of its text, where the records' lengths are known. */
  readonly bytes?: number
  readonly limits: SelectLimits
}

/** Fills each piece with as many records as fit, from the first on. */
function cutPieces(
  places: Places,
  maxRecords: number,
  maxBytes: number,
  frame: Rendering['frameBytes'],
): readonly Piece[] {
  const starts: number[] = []
  const sizes: number[] = []
  let rows = 0
  let bytes = 0
  for (let index = 0; index < places.count; index += 1) {
    const size = places.bytesOf(index) + frame.record
    if (index === 0 || rows === maxRecords || bytes + size > maxBytes) {
      starts.push(index)
      rows = 0
      bytes = frame.batch
    }
    rows += 1
    bytes += size
    sizes[starts.length - 1] = bytes - frame.between
  }
  return starts.map((start, index) => {
    const end = starts[index + 1]
    return {
      rows: (end ?? places.count) - start,
      bytes: sizes[index] ?? 0,
      limits: { first: places.placeOf(start), ...(end === undefined ? {} : { end: places.placeOf(end) }) },
    }
  })
}

async function writePart(
  { store }: SpoolNeeds,
  query: Query,
  options: ScanOptions,
  file: string,
  look: Look | undefined,
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  async function* measured(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of look ? look.through(chunks) : chunks) {
      hash.update(chunk)
      bytes += chunk.length
      yield chunk
    }
  }
  if (store.answerInto) {
    options.signal?.throwIfAborted()
    await asking(async () => store.answerInto?.(asBytes(query, options), file))
    for await (const _ of measured(createReadStream(file, { highWaterMark: 1 << 20 })));
  } else {
    const stream = await readBytes(store.client, query, options)
    await pipeline(stream, measured, createWriteStream(file, { mode: 0o600 }))
  }
  return { bytes, sha256: hash.digest('hex') }
}

/** A gzip file ends with its size before compression, as long as that is below 4 GB, which a part is. */
async function rawSize(file: string, bytes: number, packing: Packing): Promise<number> {
  if (packing === 'identity') return bytes
  if (packing === 'zstd') {
    let raw = 0
    for await (const chunk of createReadStream(file).pipe(createZstdDecompress())) raw += (chunk as Buffer).length
    return raw
  }
  const handle = await open(file)
  try {
    const { buffer } = await handle.read(Buffer.alloc(4), 0, 4, bytes - 4)
    return buffer.readUInt32LE(0)
  } finally {
    await handle.close()
  }
}
