/** Sets of bytes, for character classes: a 256-bit mask. */

export type ByteSet = bigint

export const noBytes: ByteSet = 0n
export const allBytes: ByteSet = (1n << 256n) - 1n

export const oneByte = (byte: number): ByteSet => 1n << BigInt(byte)
export const byteRange = (first: number, last: number): ByteSet =>
  ((1n << BigInt(last - first + 1)) - 1n) << BigInt(first)
export const bytesOf = (text: string): ByteSet => [...text].reduce((set, c) => set | oneByte(c.charCodeAt(0)), noBytes)
export const negated = (set: ByteSet): ByteSet => allBytes ^ set

const capitals = byteRange(0x41, 0x5a)
const smalls = byteRange(0x61, 0x7a)

/** With both cases of every ASCII letter in it. */
export const caseFolded = (set: ByteSet): ByteSet => set | ((set & capitals) << 32n) | ((set & smalls) >> 32n)

/** The runs of neighbouring bytes, in order. */
export const runsOf = (set: ByteSet): readonly (readonly [first: number, last: number])[] => {
  const runs: [number, number][] = []
  const bits = set.toString(2)
  for (let byte = 0; byte < bits.length; byte++) {
    if (bits.charAt(bits.length - 1 - byte) !== '1') continue
    const before = runs.at(-1)
    if (before && before[1] === byte - 1) before[1] = byte
    else runs.push([byte, byte])
  }
  return runs
}

export const digits = byteRange(0x30, 0x39)
export const wordBytes = digits | capitals | smalls | bytesOf('_')
export const spaces = bytesOf('\t\n\v\f\r ')

export const posixClasses: ReadonlyMap<string, ByteSet> = new Map([
  ['alnum', digits | capitals | smalls],
  ['alpha', capitals | smalls],
  ['ascii', byteRange(0, 0x7f)],
  ['blank', bytesOf('\t ')],
  ['cntrl', byteRange(0, 0x1f) | oneByte(0x7f)],
  ['digit', digits],
  ['graph', byteRange(0x21, 0x7e)],
  ['lower', smalls],
  ['print', byteRange(0x20, 0x7e)],
  ['punct', byteRange(0x21, 0x2f) | byteRange(0x3a, 0x40) | byteRange(0x5b, 0x60) | byteRange(0x7b, 0x7e)],
  ['space', spaces],
  ['upper', capitals],
  ['word', wordBytes],
  ['xdigit', digits | byteRange(0x41, 0x46) | byteRange(0x61, 0x66)],
])
