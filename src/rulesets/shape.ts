/**
 * Small words for saying what a JSON value must look like. A shape reads a value at a place: it answers the value with its
 * defaults filled in, and tells the place every reason that speaks against it, each with its JSON pointer.
 */
import { type Judged, judgedBy, type Reason } from '../base/index.ts'

/** Answers undefined when it refused; whoever reads many values goes on, so that all reasons are heard at once. */
export type Shape<T> = (value: unknown, place: Place) => T | undefined

/** What a shape reads into. */
export type Shaped<S> = S extends Shape<infer T> ? T : never

/** A member of the body: its pointer, its name in messages, and where reasons about it are collected. */
export type Place = {
  readonly pointer: string
  readonly name: string
  at(key: string | number): Place
  say(message: string, code?: number): void
  /** The sentence most clients know: `'x' is not a valid value for f because ...`. */
  refuse(value: unknown, because: string, code?: number): undefined
}

export function placeIn(reasons: Reason[], pointer = '', name = 'body'): Place {
  const say = (message: string, code?: number) => {
    reasons.push({ message, pointer, ...(code === undefined ? {} : { code }) })
  }
  return {
    pointer,
    name,
    at: (key) => placeIn(reasons, `${pointer}/${escaped(key)}`, typeof key === 'number' ? name : key),
    say,
    refuse(value, because, code) {
      say(`'${shown(value)}' is not a valid value for ${name} because ${because}`, code)
      return undefined
    },
  }
}

/** One value against one shape. */
export function judgeShape<T>(shape: Shape<T>, value: unknown, pointer = '', name = 'body'): Judged<T> {
  const reasons: Reason[] = []
  const read = shape(value, placeIn(reasons, pointer, name))
  return judgedBy(reasons, () => read as T)
}

// RFC 6901: a tilde or a slash in a key is written ~0 or ~1.
const escaped = (key: string | number): string =>
  String(key).slice(0, longestShown).replaceAll('~', '~0').replaceAll('/', '~1')

const longestShown = 200

/** A value as it stands in a message: plain values cut to what a reader needs, never the inside of a nested one. */
function shown(value: unknown): string {
  if (value === undefined) return ''
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? '[...]' : '{...}'
  const text = String(value)
  return text.length > longestShown ? `${text.slice(0, longestShown)}...` : text
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

type TextRules = {
  readonly min?: number
  readonly max?: number
  /** The limit in bytes of UTF-8, for what is sent over the wire as it stands. */
  readonly maxBytes?: number
  readonly like?: { readonly pattern: RegExp; readonly says: string }
}

export const text =
  ({ min = 0, max = Number.POSITIVE_INFINITY, maxBytes, like }: TextRules = {}): Shape<string> =>
  (value, place) => {
    if (typeof value !== 'string') return place.refuse(value, 'it is not a string')
    if (value.length < min) return place.refuse(value, 'it must not be empty')
    if (value.length > max) return place.refuse(value, `it is longer than ${max} characters`)
    if (maxBytes !== undefined && Buffer.byteLength(value) > maxBytes)
      return place.refuse(value, `it is larger than ${maxBytes} bytes`)
    // PostgreSQL stores no null character, and no honest text holds one.
    if (value.includes('\0')) return place.refuse(value.replaceAll('\0', ' '), 'it contains a null character')
    if (like && !like.pattern.test(value)) return place.refuse(value, like.says)
    return value
  }

export const whole =
  (min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER): Shape<number> =>
  (value, place) => {
    if (!Number.isSafeInteger(value)) return place.refuse(value, 'it is not a whole number')
    const number = value as number
    if (number < min || number > max) return place.refuse(value, `it is not between ${min} and ${max}`)
    return number
  }

export const flag: Shape<boolean> = (value, place) =>
  typeof value === 'boolean' ? value : place.refuse(value, 'it is not true or false')

export const onlyTrue: Shape<true> = (value, place) =>
  value === true ? value : place.refuse(value, 'only true is possible')

export const oneOf =
  <const T extends string | number>(...allowed: readonly T[]): Shape<T> =>
  (value, place) =>
    allowed.includes(value as T) ? (value as T) : place.refuse(value, `it is not one of ${allowed.join(', ')}`)

/** The 32 lower-case hex digits of an id. */
export const id = text({ like: { pattern: /^[0-9a-f]{32}$/, says: 'it is not 32 lower-case hexadecimal digits' } })

type ListRules<T> = { readonly min?: number; readonly max?: number; readonly uniqueBy?: (element: T) => unknown }

export const listOf =
  <T>(element: Shape<T>, { min = 0, max = 1000, uniqueBy }: ListRules<T> = {}): Shape<T[]> =>
  (value, place) => {
    if (!Array.isArray(value)) return place.refuse(value, 'it is not an array')
    if (value.length < min) return place.refuse(value, min === 1 ? 'it must not be empty' : `it needs ${min} elements`)
    if (value.length > max) return place.refuse(value, `it has more than ${max} elements`)
    const seen = new Set<unknown>()
    const read: T[] = []
    value.forEach((part, index) => {
      const one = element(part, place.at(index))
      if (one === undefined) return
      if (uniqueBy && seen.has(uniqueBy(one))) place.at(index).refuse(part, 'it is there twice')
      if (uniqueBy) seen.add(uniqueBy(one))
      read.push(one)
    })
    return read
  }

/** An object whose keys are free, within reason. */
export const mapOf =
  <T>(key: Shape<string>, element: Shape<T>, { min = 0, max = 100 } = {}): Shape<Record<string, T>> =>
  (value, place) => {
    if (!isObject(value)) return place.refuse(value, 'it is not an object')
    const keys = Object.keys(value)
    if (keys.length < min) return place.refuse(value, 'it must not be empty')
    if (keys.length > max) return place.refuse(value, `it has more than ${max} members`)
    const read = keys.map((name) => {
      key(name, place.at(name))
      return [name, element(value[name], place.at(name))] as const
    })
    return Object.fromEntries(read) as Record<string, T>
  }

export type Member<T> = {
  readonly shape: Shape<T>
  readonly need: 'required' | 'optional' | 'filled'
  readonly fill?: T
}

export const required = <T>(shape: Shape<T>): Member<T> & { need: 'required' } => ({ shape, need: 'required' })
export const optional = <T>(shape: Shape<T>): Member<T> & { need: 'optional' } => ({ shape, need: 'optional' })
/** Left out by the caller, it is there in the answer all the same: clients compare what they sent with what they read. */
export const filled = <T>(shape: Shape<T>, fill: T): Member<T> & { need: 'filled' } => ({ shape, need: 'filled', fill })

type Members = Record<string, Member<unknown>>
type Optionals<M extends Members> = { [K in keyof M]: M[K]['need'] extends 'optional' ? K : never }[keyof M]
type Read<M extends Members> = { [K in Exclude<keyof M, Optionals<M>>]: Shaped<M[K]['shape']> } & {
  [K in Optionals<M>]?: Shaped<M[K]['shape']>
}

type Choice = {
  /** At least one of these members. */
  readonly someOf?: readonly string[]
  /** One of these members, and no second one. */
  readonly exactlyOneOf?: readonly string[]
  /** Pairs that exclude each other. */
  readonly never?: readonly (readonly [string, string])[]
}

/** An object with these members and no other. Members come back in the order in which the caller wrote them. */
export const object =
  <const M extends Members>(members: M, choice: Choice = {}): Shape<Read<M>> =>
  (value, place) => {
    if (!isObject(value)) return place.refuse(value, 'it is not an object')
    const read: [string, unknown][] = []
    for (const key of Object.keys(value)) {
      const member = Object.hasOwn(members, key) ? members[key] : undefined
      if (!member) place.at(key).say(`invalid JSON: unknown field "${shown(key)}"`)
      else read.push([key, member.shape(value[key], place.at(key))])
    }
    for (const [key, member] of Object.entries(members)) {
      if (Object.hasOwn(value, key)) continue
      if (member.need === 'required') place.at(key).refuse(undefined, 'it is required')
      if (member.need === 'filled') read.push([key, member.fill])
    }
    judgeChoice(value, choice, place)
    return Object.fromEntries(read) as Read<M>
  }

function judgeChoice(value: Record<string, unknown>, { someOf, exactlyOneOf, never }: Choice, place: Place): void {
  const given = (keys: readonly string[]) => keys.filter((key) => Object.hasOwn(value, key))
  if (someOf && given(someOf).length === 0) place.say(`${place.name} needs at least one of ${someOf.join(', ')}`)
  if (exactlyOneOf && given(exactlyOneOf).length !== 1)
    place.say(`${place.name} needs exactly one of ${exactlyOneOf.join(', ')}`)
  for (const pair of never ?? [])
    if (given(pair).length === 2) place.say(`${place.name} cannot have both ${pair.join(' and ')}`)
}

/** The first shape decides by looking; used where two forms of one thing are both in the wild. */
export const either =
  <A, B>(isFirst: (value: unknown) => boolean, first: Shape<A>, second: Shape<B>): Shape<A | B> =>
  (value, place) =>
    isFirst(value) ? first(value, place) : second(value, place)

/** A shape and one more thing to say about what it read. */
export const checked =
  <T>(shape: Shape<T>, check: (value: T, place: Place) => void): Shape<T> =>
  (value, place) => {
    const read = shape(value, place)
    if (read !== undefined) check(read, place)
    return read
  }
