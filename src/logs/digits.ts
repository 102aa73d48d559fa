/**
 * Whether a line may hold a whole number that does not fit into 64 bits: the engine would wrap it into another one
 * without a word, so such a line is judged here.
 *
 * Only every 19th byte is looked at, because so many digits in a row cannot hide between two of them: 4 ms for 32 MB
 * instead of the 170 ms of a regular expression over the text.
 */
const digits = 19
const largest = Buffer.from('9223372036854775807')
const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39

export function mayExceed64Bits(line: Buffer): boolean {
  for (let at = digits - 1; at < line.length; at += digits) {
    if (!isDigit(line[at])) continue
    let [start, end] = [at, at + 1]
    while (isDigit(line[start - 1])) start -= 1
    while (isDigit(line[end])) end += 1
    if (end - start >= digits && !fits(line, start, end) && isNumber(line, start)) return true
    at = end - 1
  }
  return false
}

/** The least number of 64 bits is one further from zero than the largest; it is left to the judge. */
const fits = (line: Buffer, start: number, end: number): boolean =>
  end - start === digits && line.compare(largest, 0, digits, start, end) <= 0

/** A number may stand in quotes. Where such digits are but part of a string, the line is judged for nothing. */
function isNumber(line: Buffer, start: number): boolean {
  const before = signs.has(line[start - 1] ?? 0) ? line[start - 2] : line[start - 1]
  return before !== undefined && beforeNumber.has(before)
}
const signs = new Set(Buffer.from('+-'))
const beforeNumber = new Set(Buffer.from(':,[" \t\r\n'))
