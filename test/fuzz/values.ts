/** Values that a JSON schema allows, and values that nobody should send, drawn by a chance that a seed repeats. */

export type Chance = {
  below(most: number): number
  isOneIn(many: number): boolean
  one<T>(items: readonly T[]): T
}

/** mulberry32: small, and the same draws for the same seed everywhere. */
export function makeChance(seed: number): Chance {
  let state = seed | 0
  const below = (most: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % most
  }
  return {
    below,
    isOneIn: (many) => below(many) === 0,
    one: <T>(items: readonly T[]) => items[below(items.length)] as T,
  }
}

/** A piece of JSON text that no value of ours prints as, such as `1e999` or a broken literal. */
export class Raw {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Members by name, in order; a name may come twice, and `__proto__` is a name like others. */
export class Members {
  readonly list: [string, unknown][]
  constructor(list: [string, unknown][]) {
    this.list = list
  }
}

/** JSON text of values that also hold raw pieces and doubled names. */
export function print(value: unknown): string {
  if (value instanceof Raw) return value.text
  if (value instanceof Members)
    return `{${value.list.map(([name, one]) => `${JSON.stringify(name)}:${print(one)}`).join(',')}}`
  if (Array.isArray(value)) return `[${value.map(print).join(',')}]`
  if (typeof value === 'object' && value !== null) return print(new Members(Object.entries(value)))
  return JSON.stringify(value) ?? 'null'
}

export type Schema = {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly examples?: readonly unknown[]
  readonly default?: unknown
}

/** Words that a field of this name may well hold. */
export type Vocabulary = (name: string) => readonly unknown[] | undefined

/** A value that the schema allows, or nearly so. */
export function valueFor(schema: Schema, name: string, words: Vocabulary, chance: Chance): unknown {
  const known = words(name)
  if (known && known.length > 0 && !chance.isOneIn(5)) return chance.one(known)
  if (schema.examples && schema.examples.length > 0 && !chance.isOneIn(5)) return chance.one(schema.examples)
  if (schema.enum) return chance.one(schema.enum)
  if ('const' in schema) return schema.const
  if (schema.anyOf) return valueFor(chance.one(schema.anyOf), name, words, chance)
  switch (schema.type) {
    case 'object':
      return objectFor(schema, words, chance)
    case 'array':
      return Array.from({ length: chance.below(3) }, () => valueFor(schema.items ?? {}, name, words, chance))
    case 'integer':
    case 'number':
      return chance.one([schema.minimum ?? 0, schema.maximum ?? 2 ** 31, 1, 2, 50])
    case 'boolean':
      return chance.isOneIn(2)
    case 'null':
      return null
    case 'string':
      return textFor(schema, chance)
    default:
      return chance.one([null, true, 1, 'text', {}, []])
  }
}

function objectFor(schema: Schema, words: Vocabulary, chance: Chance): Record<string, unknown> {
  const needed = new Set(schema.required ?? [])
  const members = Object.entries(schema.properties ?? {}).filter(([name]) => needed.has(name) || chance.isOneIn(3))
  return Object.fromEntries(members.map(([name, one]) => [name, valueFor(one, name, words, chance)]))
}

function textFor({ pattern, maxLength = 100 }: Schema, chance: Chance): string {
  if (pattern === '^[0-9a-f]{32}$') return hex(chance, 32)
  return chance.one(['a', 'name', 'x'.repeat(maxLength), '1', '2026-11-15T00:00:00Z', '2026-11-15', 'über', 'a.b-c'])
}

const hex = (chance: Chance, length: number): string =>
  Array.from({ length }, () => '0123456789abcdef'.charAt(chance.below(16))).join('')

const strings = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\r\nX-Injected: 1',
  '\u001b[31mred',
  '\ud800',
  '\udc00\ud800',
  '\u202eabc',
  '\ufeff',
  '😀'.repeat(100),
  'é'.normalize('NFD'),
  "' or 1=1 --",
  '"; drop table jobs; --',
  '$' + '{jndi:ldap://a.invalid/b}',
  '{{7*7}}',
  '../../../../etc/passwd',
  '%00',
  '%2e%2e%2f',
  '<script>alert(1)</script>',
  '=cmd|x',
  '__proto__',
  'constructor',
  'toString',
  'a'.repeat(5_000),
  'a'.repeat(200_000),
  '('.repeat(5_000),
  '\\'.repeat(3_000),
  `${'(a+)+'.repeat(30)}$`,
  '*'.repeat(300),
  '9'.repeat(400),
  '-1',
  '1e309',
  'NaN',
  'true',
  'null',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999999Z',
  '2026-02-30T25:61:61Z',
  '99999999999999999999',
] as const

const numbers = ['0', '-0', '-1', '1.5', '1e308', '1e999', '-1e999', '9007199254740993', '9223372036854775808'] as const
const broken = [
  'NaN',
  'undefined',
  "'a'",
  '01',
  '.5',
  '{',
  '[1,',
  '"',
  '"\\u00"',
  '"\\x41"',
  '"\t"',
  'tru',
  '',
] as const

const nested = (depth: number, open: string, close: string): Raw => new Raw(open.repeat(depth) + close.repeat(depth))

/** A value that is wrong, or only very large, deep or strange. */
export function hostileValue(chance: Chance): unknown {
  switch (chance.below(12)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return chance.one(strings)
    case 4:
    case 5:
      return new Raw(chance.one(numbers))
    case 6:
      return new Raw(chance.one(broken))
    case 7:
      return chance.one([
        nested(40, '[', ']'),
        nested(3_000, '[', ']'),
        nested(500, '{"a":', '}'),
        nested(2_000, '[{"a":', '}]'),
      ])
    case 8:
      return new Members([
        ['__proto__', { isSuper: true }],
        ['constructor', { prototype: { admin: true } }],
      ])
    case 9:
      return Array.from({ length: chance.one([0, 1, 1_000, 20_000]) }, () => chance.one([0, 'a', null]))
    case 10:
      return new Members([
        ['id', 1],
        ['id', 'two'],
        ['', null],
        ['hasOwnProperty', 1],
        ['toString', 2],
      ])
    default:
      return chance.one([null, true, false, {}, [], [[]], [null]])
  }
}

/** The same value with one place of it replaced, dropped, doubled or added to. */
export function spoil(value: unknown, chance: Chance): unknown {
  if (Array.isArray(value) && value.length > 0 && !chance.isOneIn(4)) {
    const at = chance.below(value.length)
    if (chance.isOneIn(6)) return [...value, ...value]
    return value.with(at, spoil(value[at], chance))
  }
  if (typeof value === 'object' && value !== null && !(value instanceof Raw) && !chance.isOneIn(5)) {
    const list = value instanceof Members ? value.list : Object.entries(value)
    const at = chance.below(list.length + 1)
    const found = list[at]
    if (!found) return new Members([...list, [chance.one(strings).slice(0, 300), hostileValue(chance)]])
    if (chance.isOneIn(6)) return new Members(list.toSpliced(at, 1))
    if (chance.isOneIn(8)) return new Members([...list, [found[0], hostileValue(chance)]])
    return new Members(list.with(at, [found[0], spoil(found[1], chance)]))
  }
  if (typeof value === 'string' && chance.isOneIn(2)) return spoilText(value, chance)
  return hostileValue(chance)
}

/** A text with a piece cut, doubled or put in: near enough to the truth to get deep inside. */
export function spoilText(text: string, chance: Chance): string {
  const at = chance.below(text.length + 1)
  const to = Math.min(text.length, at + chance.below(10))
  switch (chance.below(5)) {
    case 0:
      return text.slice(0, at) + text.slice(to)
    case 1:
      return text.slice(0, at) + chance.one(strings).slice(0, 500) + text.slice(at)
    case 2:
      return text.slice(0, at) + String.fromCharCode(chance.below(0x250)) + text.slice(at + 1)
    case 3:
      return text + text.slice(at, to).repeat(chance.below(50))
    default:
      return chance.one([text.toUpperCase(), ` ${text}`, `${text}/`, text.split('').reverse().join('')])
  }
}
