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
import { asking, asProblem, brokenOff } from './asking.ts'
import type { RecordStore } from './connect.ts'
import { type Rendering, renderingOf } from './render.ts'
import { asBytes, countRecords, readBytes, type ScanOptions } from './scan.ts'
import { type Place, placesQuery, type SelectLimits, select, type Window } from './select.ts'
import { type Expected, lookThrough, type Packing } from './whole.ts'

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
  const files: string[] = []
  const make = (piece: Piece): Promise<SpooledPart> => {
    const file = join(needs.spool, `${options.name}.${files.length}`)
    files.push(file)
    return writePart(needs, scope, dataset, window, selection, options, piece, file)
  }
  try {
    await mkdir(needs.spool, { recursive: true, mode: 0o700 })
    const parts = await makeParts(needs, scope, dataset, window, selection, options, make)
    if (parts.some(({ rows }) => rows > 0)) return parts
    await Promise.all(files.map((file) => rm(file, { force: true })))
    return []
  } catch (error) {
    // Half a window is of no use to anyone.
    await Promise.all(files.map((file) => rm(file, { force: true }).catch(() => {})))
    if (options.signal?.aborted) throw error
    const problem = asProblem(error)
    if (problem instanceof Problem) needs.log.warn({ err: error }, 'a part could not be made; it is tried again')
    throw problem
  }
}

async function makeParts(
  needs: SpoolNeeds,
  scope: Scope,
  dataset: Dataset,
  window: Window,
  selection: Selection,
  { maxRecords = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY }: SpoolOptions,
  make: (piece: Piece) => Promise<SpooledPart>,
): Promise<readonly SpooledPart[]> {
  const rendering = renderingOf(dataset, selection)
  const { mayBeCut } = needs.store
  const withLengths = Number.isFinite(maxBytes) || (mayBeCut && isWithoutLines(rendering))
  const cut = async (rows?: number) => {
    const places = await readPlaces(needs, scope, dataset, window, selection, withLengths, rows)
    return cutPieces(places, maxRecords, maxBytes, rendering.frameBytes)
  }
  const parts: SpooledPart[] = []
  let pieces: readonly Piece[] = []
  if (mayBeCut) {
    // Only who knows how much there is can tell that all of it came.
    const rows = await countRecords(needs, scope, dataset, window, selection)
    if (rows > 0) pieces = rows <= maxRecords && !withLengths ? [{ limits: {}, expected: { rows } }] : await cut(rows)
  } else if (withLengths) pieces = await cut()
  else {
    // Most windows fit into one part, and one that is full says that there may be more: to count the records first would
    // read a sampled or filtered window twice, 25 ms of 70 in a window of 400,000 records.
    const limits = Number.isFinite(maxRecords) ? { count: maxRecords } : {}
    const first = await make({ limits, expected: undefined })
    parts.push(first)
    if (first.rows === maxRecords) {
      const [again, ...rest] = await cut()
      if (again?.expected?.rows !== first.rows) throw brokenOff('a window has fewer records than a moment ago')
      pieces = rest
    }
  }
  for (const piece of pieces) parts.push(await make(piece))
  return parts
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
  rows: number | undefined,
): Promise<Places> {
  const stream = await readBytes(store.client, placesQuery(dataset, scope, window, selection, withLengths))
  const bytes = Buffer.concat(await stream.toArray())
  const count = Math.floor(bytes.length / 16)
  if (bytes.length !== (rows ?? count) * 16)
    throw brokenOff(`${bytes.length} bytes came of the places of ${rows ?? 'some'} records`)
  return {
    count,
    bytesOf: (index) => bytes.readUInt32LE(index * 16 + 12),
    placeOf: (index) => ({ at: bytes.readBigUInt64LE(index * 16), seq: bytes.readUInt32LE(index * 16 + 8) }),
  }
}

/** What a part is to hold; undefined where only the answer will tell. */
type Piece = { readonly limits: SelectLimits; readonly expected: Expected | undefined }

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
      limits: { first: places.placeOf(start), ...(end === undefined ? {} : { end: places.placeOf(end) }) },
      expected: { rows: (end ?? places.count) - start, bytes: sizes[index] ?? 0 },
    }
  })
}

async function writePart(
  { store }: SpoolNeeds,
  scope: Scope,
  dataset: Dataset,
  window: Window,
  selection: Selection,
  options: SpoolOptions,
  { limits, expected }: Piece,
  file: string,
): Promise<SpooledPart> {
  const query = select(dataset, scope, window, selection, limits)
  const scanning = scanOptions(selection, options)
  const packing = packingOf(selection)
  const hash = createHash('sha256')
  let bytes = 0
  async function* measured(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk)
      bytes += chunk.length
      yield chunk
    }
  }
  const { answerInto } = store
  if (answerInto) {
    options.signal?.throwIfAborted()
    const rows = await asking(() => answerInto(asBytes(query, scanning), file))
    if (expected && expected.rows !== rows) throw brokenOff(`${rows} of ${expected.rows} records came`)
    for await (const _ of measured(createReadStream(file, { highWaterMark: 1 << 20 })));
    return { file, rows, bytes, sha256: hash.digest('hex'), rawBytes: await rawSize(file, bytes, packing) }
  }
  if (!expected) throw new Error('nobody knows how many records are to come')
  const look = lookThrough(renderingOf(dataset, selection), packing, async () => expected)
  const stream = await readBytes(store.client, query, scanning)
  await pipeline(stream, look.through, measured, createWriteStream(file, { mode: 0o600 }))
  return { file, rows: expected.rows, bytes, sha256: hash.digest('hex'), rawBytes: look.bytes() }
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
