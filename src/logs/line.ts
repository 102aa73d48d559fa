/**
 * Judges one line: why it is no record of its dataset, in words that name the field. Only lines that the engine found
 * suspicious come here, so this may take its time; what it accepts, the engine must be able to take.
 */
import { fromRfc3339 } from '../base/index.ts'
import type { Dataset, Field } from '../datasets/index.ts'
import { typeWord } from '../datasets/index.ts'

export type LineVerdict =
  | { readonly ok: true; readonly text: string; readonly unknown: readonly string[] }
  | { readonly ok: false; readonly why: string; readonly unknown: readonly string[] }

export type LineJudge = (text: string) => LineVerdict

const deepest = 200

export function makeLineJudge(dataset: Dataset): LineJudge {
  const fields = new Map(dataset.fields.map((field) => [field.name, field]))
  return (text) => {
    const unknown: string[] = []
    try {
      return { ok: true, text: judgeObject(text, fields, unknown), unknown }
    } catch (fault) {
      if (fault instanceof Fault) return { ok: false, why: fault.message, unknown }
      throw fault
    }
  }
}

/** Leaves the scanner at the first thing that is wrong; never leaves this file. */
class Fault extends Error {}

const endsEarly = 'the line ends in the middle of the object'

/** The line itself, with escapes of `$` and `{` inside objects undone, so that redaction finds every `${`. */
function judgeObject(text: string, fields: ReadonlyMap<string, Field>, unknown: string[]): string {
  const seen = new Set<string>()
  let out = ''
  let copied = 0
  let at = skipSpace(text, 0)
  if (text[at] !== '{') throw new Fault('not a JSON object')
  at = skipSpace(text, at + 1)
  while (text[at] !== '}') {
    const key = readValue(text, at)
    if (key.kind !== 'string') throw new Fault(`expected a field name in quotes at character ${at + 1}`)
    at = skipSpace(text, key.end)
    if (text[at] !== ':') throw new Fault(`expected ":" at character ${at + 1}`)
    at = skipSpace(text, at + 1)
    const value = readValue(text, at)
    const name = decode(text.slice(key.start, key.end), 'a field name')
    const field = fields.get(name)
    if (field && seen.has(name)) throw new Fault(`field ${name} is there twice`)
    seen.add(name)
    if (field) judgeValue(text, value, field)
    else {
      unknown.push(name)
      if (value.kind === 'object' || value.kind === 'array') mustParse(text.slice(value.start, value.end), name)
    }
    if (field && isRaw(field)) {
      out += text.slice(copied, value.start) + plainDollars(text.slice(value.start, value.end))
      copied = value.end
    }
    at = skipSpace(text, value.end)
    if (text[at] === ',') {
      at = skipSpace(text, at + 1)
      if (text[at] === '}') throw new Fault(`expected a field name after "," at character ${at + 1}`)
    } else if (at === text.length) throw new Fault(endsEarly)
    else if (text[at] !== '}') throw new Fault(`expected "," or "}" at character ${at + 1}`)
  }
  if (skipSpace(text, at + 1) < text.length) throw new Fault(`more text after the object, at character ${at + 2}`)
  return out + text.slice(copied)
}

const isRaw = (field: Field): boolean => field.type === 'object' || field.items === 'object'

// The alternatives eat escapes in pairs, so that an escaped backslash before `u0024` stays what it is.
const plainDollars = (json: string): string =>
  json.replace(/\\(?:u00(24|7[bB])|[\s\S])/g, (pair, code?: string) =>
    code ? String.fromCharCode(Number.parseInt(code, 16)) : pair,
  )

type Value = {
  readonly kind: 'string' | 'number' | 'word' | 'object' | 'array'
  readonly start: number
  readonly end: number
}

const space = /[ \t\r\n]*/y
const stringToken = /"(?:[^"\\]|\\[\s\S])*"/y
const numberToken = /[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y
const wordToken = /true|false|null/y
const wholeNumber = /^[+-]?\d+$/

function skipSpace(text: string, at: number): number {
  if (text.charCodeAt(at) > 0x20) return at
  space.lastIndex = at
  space.test(text)
  return space.lastIndex
}

function readValue(text: string, at: number): Value {
  const first = text[at]
  if (first === undefined) throw new Fault(endsEarly)
  if (first === '{' || first === '[')
    return { kind: first === '{' ? 'object' : 'array', start: at, end: endOfNested(text, at) }
  const [kind, token] = tokenFor(first)
  token.lastIndex = at
  if (!token.test(text))
    throw new Fault(
      kind === 'string'
        ? `a string is opened at character ${at + 1} and never closed`
        : `no JSON value at character ${at + 1}`,
    )
  return { kind, start: at, end: token.lastIndex }
}

function tokenFor(first: string): readonly [Value['kind'], RegExp] {
  if (first === '"') return ['string', stringToken]
  return /[-+.\d]/.test(first) ? ['number', numberToken] : ['word', wordToken]
}

function endOfNested(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at += 1) {
    const char = text[at]
    if (char === '"') {
      stringToken.lastIndex = at
      if (!stringToken.test(text)) break
      at = stringToken.lastIndex - 1
    } else if (char === '{' || char === '[') {
      depth += 1
      if (depth > deepest) throw new Fault(`nested more than ${deepest} levels deep`)
    } else if (char === '}' || char === ']') {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  throw new Fault(`what is opened at character ${start + 1} is never closed`)
}

/** As lenient as the engine, which takes raw control characters and drops the backslash of an escape it does not know. */
function decode(json: string, what: string): string {
  if (!json.includes('\\')) return json.slice(1, -1)
  const strict = json
    .replace(/\\(u[\da-fA-F]{4}|[\s\S])/g, (pair, code: string) =>
      code.length > 1 || '"\\/bfnrt'.includes(code) ? pair : code,
    )
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
    .replace(/[\u0000-\u001f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
  let text: unknown
  try {
    text = JSON.parse(strict)
  } catch {
    throw new Fault(`${what} has a broken escape`)
  }
  if (typeof text !== 'string' || !text.isWellFormed()) throw new Fault(`${what} escapes half a character`)
  return text
}

function judgeValue(text: string, value: Value, field: Field): void {
  const raw = text.slice(value.start, value.end)
  if (raw === 'null') return
  const wrong = () => new Fault(`${field.name}: expected ${expected(field)}, got ${excerpt(raw)}`)
  switch (field.type) {
    case 'string':
      if (value.kind !== 'string') throw wrong()
      decode(raw, field.name)
      return
    case 'int':
      if (field.timestamp) judgeTime(raw, value, wrong)
      else judgeInt(raw, value, field, wrong)
      return
    case 'float': {
      const number = value.kind === 'string' ? decode(raw, field.name) : raw
      if ((value.kind !== 'number' && value.kind !== 'string') || !isNumber(number)) throw wrong()
      if (!Number.isFinite(Number(number))) throw new Fault(`${field.name}: ${excerpt(raw)} is too large for a float`)
      return
    }
    case 'bool':
      if (!['true', 'false', '1', '0'].includes(raw)) throw wrong()
      return
    case 'object':
      judgeJson(raw, value, field, wrong)
      return
    case 'array':
      if (value.kind !== 'array') throw wrong()
      judgeItems(text, value, field, wrong)
  }
}

const expected = (field: Field): string =>
  field.timestamp ? 'unix seconds, milliseconds or nanoseconds, or RFC 3339' : typeWord(field)

const isNumber = (text: string): boolean => /^[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text)

function judgeInt(raw: string, value: Value, field: Field, wrong: () => Fault): void {
  if (raw === '""') return
  // A number in quotes is taken: senders write long ones so, for readers without 64-bit integers.
  const digits = value.kind === 'string' ? decode(raw, field.name) : raw
  if ((value.kind !== 'number' && value.kind !== 'string') || !wholeNumber.test(digits)) throw wrong()
  if (!fits64(digits)) throw new Fault(`${field.name}: ${excerpt(raw)} does not fit in 64 bits`)
}

// Up to 18 digits fit in any case; 60 and more do not, and are not worth a bigint.
const fits64 = (digits: string): boolean =>
  digits.length <= 18 || (digits.length < 60 && BigInt.asIntN(64, toBig(digits)) === toBig(digits))
const toBig = (digits: string): bigint => BigInt(digits.replace(/^\+/, ''))

/** As insert.ts reads it: by its size. */
function toNanos(digits: string): string {
  const size = digits.replace(/^[+-]?0*/, '').length
  const zeros = [11, 14, 17].findIndex((limit) => size <= limit)
  return zeros === -1 ? digits : digits + '0'.repeat(9 - 3 * zeros)
}

function judgeTime(raw: string, value: Value, wrong: () => Fault): void {
  if (raw === '""') return
  if (value.kind === 'number' || (value.kind === 'string' && wholeNumber.test(raw.slice(1, -1)))) {
    const digits = value.kind === 'number' ? raw : raw.slice(1, -1)
    if (!wholeNumber.test(digits) || !fits64(digits) || !fits64(toNanos(digits))) throw wrong()
    return
  }
  const instant = value.kind === 'string' ? fromRfc3339(decode(raw, 'a time')) : undefined
  if (instant === undefined || instant < -2_208_988_800n * 1_000_000_000n || instant >= 9_214_646_400n * 1_000_000_000n)
    throw wrong()
}

/** The text must be JSON to the letter, because it is written out again as it stands. */
function judgeJson(raw: string, value: Value, field: Field, wrong: () => Fault): void {
  if (raw === '""' && field.type === 'object') return
  const json = value.kind === 'string' ? decode(raw, field.name) : raw
  if ((value.kind !== 'object' && value.kind !== 'string') || !json.startsWith('{')) throw wrong()
  mustParse(json, field.name)
}

function mustParse(json: string, name: string): void {
  try {
    JSON.parse(json)
  } catch {
    throw new Fault(`${name}: not valid JSON inside`)
  }
}

function judgeItems(text: string, array: Value, field: Field, wrong: () => Fault): void {
  let at = skipSpace(text, array.start + 1)
  while (at < array.end - 1) {
    const item = readValue(text, at)
    const raw = text.slice(item.start, item.end)
    judgeItem(raw, item, field, wrong)
    at = skipSpace(text, item.end)
    if (text[at] === ',') at = skipSpace(text, at + 1)
    else if (at !== array.end - 1) throw new Fault(`${field.name}: expected "," or "]" at character ${at + 1}`)
  }
}

function judgeItem(raw: string, item: Value, field: Field, wrong: () => Fault): void {
  if (field.items === 'object') judgeJson(raw, item, field, wrong)
  else if (field.items === 'int' && raw !== 'null') judgeInt(raw, item, field, wrong)
  else if (item.kind === 'string') decode(raw, field.name)
  else if (raw !== 'null') throw wrong()
}

const excerpt = (raw: string): string => (raw.length <= 40 ? raw : `${raw.slice(0, 40)}…`)
