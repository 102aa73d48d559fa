/**
 * Cuts a body into batches of lines without parsing them: bytes stay bytes. Where a batch ends depends on the content
 * alone, not on how it arrived, so that a repeated request is cut the same.
 */
import { isUtf8 } from 'node:buffer'
import { problems } from '../base/index.ts'
import { mayExceed64Bits } from './digits.ts'

export type LineFault = { readonly line: number; readonly message: string }

export type Batch = {
  /** Each begins with its brace and has no newline. */
  readonly lines: readonly Buffer[]
  /** The number of each line in the body, from 1. */
  readonly numbers: readonly number[]
  readonly bytes: number
  /** Whether some line may hold a whole number of more than 64 bits. */
  readonly hasLongNumbers: boolean
  /** Lines that can be told bad without looking inside. */
  readonly faults: readonly LineFault[]
}

export type BatchLimits = { readonly bytes: number; readonly lines: number; readonly lineBytes: number }

// 32 MB is where the engine is at its best; fewer bytes of many short lines still fill 120 columns each.
export const batchLimits: BatchLimits = { bytes: 32 << 20, lines: 50_000, lineBytes: 1 << 20 }

const newline = 0x0a
const [openBrace, closeBrace, openBracket, closeBracket, quote, backslash, comma] = [
  0x7b, 0x7d, 0x5b, 0x5d, 0x22, 0x5c, 0x2c,
]
const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === newline

/** NDJSON, or one JSON array of objects; told apart by the first byte that is no space. */
export async function* cutLines(
  body: AsyncIterable<Uint8Array>,
  limits: BatchLimits = batchLimits,
): AsyncGenerator<Batch> {
  const parts = buffers(body)
  const head = await firstBytes(parts)
  const start = head.subarray(0, 3).equals(byteOrderMark) ? 3 : 0
  const first = head[firstVisible(head, start)]
  const rest = prepend(head.subarray(start), parts)
  yield* batchesOf(first === openBracket ? arrayToLines(rest) : rest, limits)
}

async function* buffers(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const chunk of body) yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
}

/** Enough of the body to see a byte that is no space, or all of it. */
async function firstBytes(parts: AsyncGenerator<Buffer>): Promise<Buffer> {
  let head: Buffer = Buffer.alloc(0)
  while (head.length < 3 || firstVisible(head, 0) === head.length) {
    const { value, done } = await parts.next()
    if (done) break
    head = Buffer.concat([head, value])
  }
  return head
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

function firstVisible(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && isSpace(bytes[at])) at += 1
  return at
}

async function* prepend(head: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield head
  yield* rest
}

async function* batchesOf(pieces: AsyncIterable<Buffer>, limits: BatchLimits): AsyncGenerator<Batch> {
  let number = 1
  let building = startBatch(limits)
  /** The start of a line whose end is not here yet; of an overlong line nothing is kept. */
  let carried: Buffer[] = []
  let carriedBytes = 0
  const take = (line: Buffer | undefined) => {
    building.add(number, line)
    number += 1
    if (!building.isFull()) return undefined
    const done = building.finish()
    building = startBatch(limits)
    return done
  }
  const carry = (tail: Buffer) => {
    carriedBytes += tail.length
    if (carriedBytes > limits.lineBytes) carried = []
    else carried.push(tail)
  }
  const uncarry = (): Buffer | undefined => {
    const line = carriedBytes > limits.lineBytes ? undefined : Buffer.concat(carried)
    carried = []
    carriedBytes = 0
    return line
  }

  for await (const piece of pieces) {
    let at = 0
    for (let end = piece.indexOf(newline); end !== -1; end = piece.indexOf(newline, at)) {
      if (carriedBytes > 0) carry(piece.subarray(at, end))
      const batch = take(carriedBytes > 0 ? uncarry() : piece.subarray(at, end))
      if (batch) yield batch
      at = end + 1
    }
    if (at < piece.length) carry(piece.subarray(at))
  }
  if (carriedBytes > 0) {
    const batch = take(uncarry())
    if (batch) yield batch
  }
  const last = building.finish()
  if (last.lines.length > 0 || last.faults.length > 0) yield last
}

function startBatch(limits: BatchLimits) {
  const lines: Buffer[] = []
  const numbers: number[] = []
  const faults: LineFault[] = []
  let bytes = 0
  let hasLongNumbers = false
  return {
    /** No line is one that was too long to keep. */
    add(number: number, line: Buffer | undefined) {
      if (line === undefined || line.length > limits.lineBytes) {
        faults.push({ line: number, message: `longer than ${limits.lineBytes} bytes` })
        return
      }
      const start = firstVisible(line, 0)
      if (start === line.length) return
      if (line[start] !== openBrace) {
        faults.push({ line: number, message: 'not a JSON object' })
        return
      }
      // Line by line, because a whole piece may end in the middle of a character.
      if (!isUtf8(line)) {
        faults.push({ line: number, message: 'not valid UTF-8' })
        return
      }
      lines.push(start === 0 ? line : line.subarray(start))
      numbers.push(number)
      bytes += line.length - start
      hasLongNumbers ||= mayExceed64Bits(line)
    },
    isFull: () => bytes >= limits.bytes || lines.length + faults.length >= limits.lines,
    finish: (): Batch => ({ lines, numbers, bytes, hasLongNumbers, faults }),
  }
}

/** The elements of one JSON array, each as a line of its own; space around and newlines inside are blanks. */
async function* arrayToLines(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let depth = 0
  let inString = false
  let isEscaped = false
  let isOver = false
  /** Whether an element has begun since the last comma. */
  let hasElement = false
  for await (const piece of pieces) {
    const out = Buffer.from(piece)
    for (let at = 0; at < out.length; at += 1) {
      const byte = out[at] as number
      if (inString) {
        if (byte === newline) throw problems.malformedBody('a string in the array holds a raw newline')
        if (isEscaped) isEscaped = false
        else if (byte === backslash) isEscaped = true
        else if (byte === quote) inString = false
        continue
      }
      if (isSpace(byte)) {
        out[at] = 0x20
        continue
      }
      if (isOver) throw problems.malformedBody('there is more after the array')
      if (byte === openBracket && depth === 0) {
        depth = 1
        out[at] = 0x20
      } else if (byte === closeBracket && depth === 1) {
        depth = 0
        isOver = true
        out[at] = hasElement ? newline : 0x20
      } else if (byte === comma && depth === 1) {
        if (!hasElement) throw problems.malformedBody('an element of the array is missing')
        hasElement = false
        out[at] = newline
      } else {
        hasElement = true
        if (byte === quote) inString = true
        else if (byte === openBrace || byte === openBracket) depth += 1
        else if (byte === closeBrace || byte === closeBracket) depth -= 1
        if (depth < 1) throw problems.malformedBody('the array has a bracket too many')
      }
    }
    yield out
  }
  if (!isOver) throw problems.malformedBody('the array is not closed')
}
