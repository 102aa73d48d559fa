/**
 * The statement that takes a batch in: the engine parses the lines, checks what each value must be, and computes the
 * columns. It either takes all lines or none; then `line.ts` says which and why.
 *
 * The engine alone would let some things pass that are no record of the dataset, so the statement throws at whatever
 * looks suspicious: a second object on one line (it has no row number of ours), an object where a string belongs (it
 * would be kept as text), an object that is no JSON, a number that is not finite. Numbers of more than 64 bits never get
 * here: the engine would wrap them, so `digits.ts` finds them before.
 *
 * Measured on 33 MB of http_requests, 120 fields, 26,000 lines, in CPU-seconds: parse alone 0.20; with casts and checks
 * 0.21 (as WHERE instead of in a column 0.33: a filter copies every column); insert 0.28 compact, 0.31 wide. Parallel
 * parsing 0.24 to parse.
 */
import type { Dataset, Field } from '../datasets/index.ts'
import { column, columnType, tableOf } from './tables.ts'

export const insertSettings = {
  // Types mean what they say: no number for a string, no array for a string, no boolean for a number.
  input_format_json_read_numbers_as_strings: 0,
  input_format_json_read_bools_as_strings: 0,
  input_format_json_read_arrays_as_strings: 0,
  input_format_json_read_bools_as_numbers: 0,
  input_format_json_read_objects_as_strings: 1,
  input_format_null_as_default: 1,
  input_format_defaults_for_omitted_fields: 0,
  input_format_parallel_parsing: 0,
  // One batch is one block is one part: it is there whole or not at all.
  max_insert_threads: '1',
  max_insert_block_size: '1048576',
  min_insert_block_size_bytes: '2000000000',
  async_insert: 0,
  // A batch is too short to earn back the compiling: 46 ms of fixed cost with it, 37 without.
  compile_expressions: 0,
} as const

/**
 * `row` is the name of the field that every line was given first: the number of its request in the batch and its row, as
 * one number of always twelve digits. The name is random, so that no sender can write it.
 */
export const rowsPerUnit = 100_000_000n
export const firstRow = 1000n * rowsPerUnit
export const rowDigits = 12

/**
 * What is known of the lines of a batch. `numbers`: they seem to write every time as a number, and the statement that
 * takes nothing else is a third cheaper. `texts`: some time is a text. `judged`: each line was looked at already.
 */
export type Care = 'numbers' | 'texts' | 'judged'

export function insertStatement(dataset: Dataset, row: string, care: Care): string {
  const structure = [
    `${column(row)} UInt64`,
    ...dataset.fields.map((field) => `${column(field.name)} ${inputType(field, care)}`),
  ]
  return `INSERT INTO ${tableOf(dataset)} (_scope, _at, _seq, ${dataset.fields.map((field) => column(field.name)).join(', ')})
SELECT ${selectList(dataset, row, care)}
FROM input('${structure.join(', ')}')
FORMAT JSONEachRow`
}

/** The same parse with no insert: whether the engine would take these lines. */
export const tryStatement = (dataset: Dataset, row: string): string =>
  insertStatement(dataset, row, 'judged').replace(/^.*\n/, `INSERT INTO FUNCTION null('${nullStructure(dataset)}')\n`)

const nullStructure = (dataset: Dataset): string =>
  [
    '_scope String',
    '_at UInt64',
    '_seq UInt32',
    ...dataset.fields.map((field) => `${column(field.name)} ${columnType(field)}`),
  ].join(', ')

function selectList(dataset: Dataset, row: string, care: Care): string {
  const checks = dataset.fields.flatMap((field) => checksOf(field, care))
  const suspicious = `or(${[`${column(row)} = 0`, ...checks, '0'].join(', ')})`
  return [
    `{scopes:Array(String)}[intDiv(${column(row)}, ${rowsPerUnit}) - ${firstRow / rowsPerUnit - 1n}]`,
    '{at:UInt64}',
    `toUInt32(${column(row)} % ${rowsPerUnit}) + throwIf(${suspicious}, 'suspicious line')`,
    ...dataset.fields.map((field) => storedAs(field, care)),
  ].join(',\n  ')
}

/** Among texts, seconds become nanoseconds in 128 bits, so that a year beyond 2262 is seen and does not wrap around. */
const inputType = (field: Field, care: Care): string =>
  field.timestamp && care !== 'numbers' ? 'Variant(Int128, String)' : columnType(field)

function storedAs(field: Field, care: Care): string {
  const name = column(field.name)
  if (field.timestamp) return care === 'numbers' ? scaled(name) : nanosOf(name)
  if (field.type === 'object') return onOneLine(name)
  if (field.items === 'object') return `arrayMap(each -> ${onOneLine('each')}, ${name})`
  return name
}

/** An object that came as text in quotes may have line breaks between its members; it is written out as it stands, on a line. */
const onOneLine = (json: string): string => String.raw`translate(${json}, '\n\r', '  ')`

/** How many digits seconds, milliseconds and microseconds have at most, and what makes nanoseconds of them. */
const units = [
  [11, 1_000_000_000n],
  [14, 1_000_000n],
  [17, 1_000n],
] as const

/** Unix seconds, milliseconds, microseconds or nanoseconds by their size: all but 1973 and before is told apart. */
const scaled = (number: string): string =>
  `multiIf(${units.map(([digits, factor]) => `abs(${number}) < ${10n ** BigInt(digits)}, ${number} * ${factor}`).join(', ')}, ${number})`

/** Numbers that are no nanoseconds of 64 bits when scaled. */
const isBeyond = (number: string): string =>
  units
    .map(([digits, factor]) => `abs(${number}) BETWEEN ${2n ** 63n / factor + 1n} AND ${10n ** BigInt(digits) - 1n}`)
    .join(' OR ')

/** A number, or RFC 3339. */
function nanosOf(name: string): string {
  const number = `${name}.Int128`
  const text = `toUnixTimestamp64Nano(parseDateTime64BestEffort(if(${isTime(name)}, ifNull(${name}.String, ''), '1970-01-01T00:00:00Z'), 9, 'UTC'))`
  return `multiIf(isNotNull(${number}), accurateCast(ifNull(${scaled(number)}, 0), 'Int64'), isNotNull(${name}.String), ${text}, 0)`
}

const rfc3339 = String.raw`^\\d{4}-\\d\\d-\\d\\d[Tt ]([01]\\d|2[0-3]):[0-5]\\d:([0-5]\\d|60)(\\.\\d+)?([Zz]|[+-]([01]\\d|2[0-3]):[0-5]\\d)$`
const isTime = (name: string): string =>
  `ifNull(${name}.String >= '1900' AND ${name}.String < '2262' AND match(${name}.String, '${rfc3339}'), 0)`

// `$` and `{` written as escapes would hide from redaction; line.ts writes them plainly.
const hiddenDollar = ['u0024', 'u007b', 'u007B'].map((code) => `\\\\${code}`).join("', '")

function checksOf(field: Field, care: Care): readonly string[] {
  const name = column(field.name)
  if (field.timestamp)
    return [care === 'numbers' ? isBeyond(name) : `isNotNull(${name}.String) AND NOT ${isTime(name)}`]
  if (field.type === 'float') return [`NOT isFinite(${name})`]
  if (field.type === 'string') return care === 'judged' ? [] : [`startsWith(${name}, '{')`]
  // Judged text was parsed already; the engine's own check would refuse integers beyond 64 bits in it.
  const isObject = (text: string) =>
    care === 'judged'
      ? `startsWith(${text}, '{')`
      : `startsWith(${text}, '{') AND isValidJSON(${text}) AND NOT multiSearchAny(${text}, ['${hiddenDollar}'])`
  if (field.type === 'object') return [`${name} != '' AND NOT (${isObject(name)})`]
  if (field.items === 'object') return [`arrayExists(each -> NOT (${isObject('each')}), ${name})`]
  if (field.items === 'string' && care !== 'judged') return [`arrayExists(each -> startsWith(each, '{'), ${name})`]
  return []
}
