/**
 * Made-up records of any dataset, the same for the same seed: for tests, benches, demos and `spillway generate`.
 *
 * `lines` is fast enough to feed a bench: a few hundred records are written out once, and each line is a copy of one of
 * them with its times and ray ids written over in place (about 600 MB/s here; `next` and JSON.stringify for each line
 * gave 9).
 */
import type { Nanos } from '../base/index.ts'
import type { Dataset, Field } from './dataset.ts'
import { makeRandom, mix, type Random } from './random.ts'
import { makeValue, type Value } from './values.ts'

export type Generator = {
  /** The next record; its times move on from the last. Whole numbers beyond 2^53 are bigint. */
  next(): Record<string, Value>
  /** The next records as NDJSON, a newline after each. */
  lines(count: number): Buffer
}

export type Pace = {
  /** When the first event happened. */
  readonly from?: Nanos
  /** How far apart events are, on average. */
  readonly stepNanos?: number
}

const poolSize = 256
// The names alone of all http_requests fields are 2.4 KB; real records leave most of the rare ones empty. Each field
// is there in some of the records.
const fieldsPerRecord = 36
// What a line of a dataset with more fields than that should weigh, newline included.
const [lightest, heaviest] = [1024, 1536]

export function makeGenerator(dataset: Dataset, seed: number, pace: Pace = {}): Generator {
  const { from = 1_750_000_000_000_000_000n, stepNanos = 1_000_000 } = pace
  const random = makeRandom(seed)
  const clock = makeClock(from, stepNanos, random)
  const rays = makeRays(seed)
  let pool: readonly Mould[] | undefined

  return {
    next() {
      clock.tick()
      const ray = rays()
      return Object.fromEntries(
        chooseFields(dataset, random).map((field) => {
          const spot = spotOf(field, dataset, random)
          return [field.name, spot ? clock.valueAt(spot, ray) : makeValue(field, random)]
        }),
      )
    },
    lines(count) {
      pool ??= Array.from({ length: poolSize }, () => makeFairMould(dataset, random))
      const chosen = Array.from({ length: count }, () => random.pick(pool as readonly Mould[]))
      const out = Buffer.allocUnsafe(chosen.reduce((sum, mould) => sum + mould.bytes.length, 0))
      let at = 0
      for (const mould of chosen) {
        clock.tick()
        const ray = rays()
        out.set(mould.bytes, at)
        for (const { spot, offset } of mould.spots) clock.writeAt(out, at + offset, spot, ray)
        at += mould.bytes.length
      }
      return out
    },
  }
}

/** One record as JSON text; whole numbers keep every digit. */
export const toLine = (record: Readonly<Record<string, unknown>>): string => JSON.stringify(record, keepDigits)

// JSON.rawJSON is in Node 24 and not yet in TypeScript's library.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }
const keepDigits = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? rawJSON(value.toString()) : value

/** The default fields always, and so many of the others that a record has a natural size. */
function chooseFields(dataset: Dataset, random: Random): readonly Field[] {
  const rest = dataset.fields.length - dataset.defaultFields.length
  const share = (fieldsPerRecord - dataset.defaultFields.length) / Math.max(rest, 1)
  return dataset.fields.filter(
    (field) =>
      field.name === dataset.timestampField ||
      dataset.defaultFields.includes(field.name) ||
      random.below(1000) < share * 1000,
  )
}

/** A value that differs in every record and has a fixed width: a time, some while after the event, or a ray id. */
type Spot = { readonly kind: 'nanos' | 'millis'; readonly lagMs: number } | { readonly kind: 'ray' }

function spotOf(field: Field, dataset: Dataset, random: Random): Spot | undefined {
  const lagMs = field.name === dataset.timestampField ? 0 : random.below(2000)
  if (field.timestamp) return { kind: 'nanos', lagMs }
  if (field.name === dataset.timestampField) return { kind: 'millis', lagMs }
  return field.name === 'RayID' && field.type === 'string' ? { kind: 'ray' } : undefined
}

/** A finished line and the places in it that are written over for each record. */
type Mould = { readonly bytes: Buffer; readonly spots: readonly { readonly spot: Spot; readonly offset: number }[] }

function makeFairMould(dataset: Dataset, random: Random): Mould {
  const isFair = (mould: Mould) => mould.bytes.length >= lightest && mould.bytes.length <= heaviest
  let mould = makeMould(dataset, random)
  // Bounded, because an operator's dataset may have names so short or so long that nothing is fair.
  const draws = dataset.fields.length > fieldsPerRecord ? 20 : 0
  for (let draw = 0; draw < draws && !isFair(mould); draw += 1) mould = makeMould(dataset, random)
  return mould
}

function makeMould(dataset: Dataset, random: Random): Mould {
  const spots: { spot: Spot; offset: number }[] = []
  let text = '{'
  for (const field of chooseFields(dataset, random)) {
    text += `${text === '{' ? '' : ','}${JSON.stringify(field.name)}:`
    const spot = spotOf(field, dataset, random)
    if (!spot) {
      text += JSON.stringify(makeValue(field, random), keepDigits)
      continue
    }
    const width = { nanos: 19, millis: 13, ray: 16 }[spot.kind]
    const quote = spot.kind === 'ray' ? '"' : ''
    spots.push({ spot, offset: Buffer.byteLength(text) + quote.length })
    text += `${quote}${'0'.repeat(width)}${quote}`
  }
  return { bytes: Buffer.from(`${text}}\n`), spots }
}

/** 64 bits that never repeat for a seed: half of them count, in a shuffled order. */
function makeRays(seed: number): () => readonly [number, number] {
  let made = 0
  return () => {
    made += 1
    return [mix(seed ^ mix(made)), mix(made)]
  }
}

/** Event time in two numbers, seconds and nanoseconds, because a bigint for every digit is slow. */
function makeClock(from: Nanos, stepNanos: number, random: Random) {
  let seconds = Number(from / 1_000_000_000n)
  let nanos = Number(from % 1_000_000_000n)
  const after = (lagMs: number): readonly [number, number] => {
    const late = nanos + (lagMs % 1000) * 1_000_000
    const carry = late >= 1_000_000_000 ? 1 : 0
    return [seconds + Math.floor(lagMs / 1000) + carry, late - carry * 1_000_000_000]
  }
  return {
    tick() {
      nanos += 1 + random.below(2 * stepNanos)
      seconds += Math.floor(nanos / 1_000_000_000)
      nanos %= 1_000_000_000
    },
    valueAt(spot: Spot, ray: readonly [number, number]): Value {
      if (spot.kind === 'ray') return ray.map((word) => word.toString(16).padStart(8, '0')).join('')
      const [whole, part] = after(spot.lagMs)
      if (spot.kind === 'millis') return whole * 1000 + Math.floor(part / 1_000_000)
      return BigInt(whole) * 1_000_000_000n + BigInt(part)
    },
    writeAt(out: Buffer, offset: number, spot: Spot, ray: readonly [number, number]) {
      if (spot.kind === 'ray') {
        writeDigits(out, offset, 8, ray[0], 16)
        writeDigits(out, offset + 8, 8, ray[1], 16)
        return
      }
      const [whole, part] = after(spot.lagMs)
      writeDigits(out, offset, 10, whole, 10)
      if (spot.kind === 'millis') writeDigits(out, offset + 10, 3, Math.floor(part / 1_000_000), 10)
      else writeDigits(out, offset + 10, 9, part, 10)
    },
  }
}

function writeDigits(out: Buffer, offset: number, width: number, value: number, base: 10 | 16) {
  let rest = value
  for (let place = offset + width - 1; place >= offset; place -= 1) {
    const digit = rest % base
    out[place] = digit < 10 ? 48 + digit : 87 + digit
    rest = (rest - digit) / base
  }
}
