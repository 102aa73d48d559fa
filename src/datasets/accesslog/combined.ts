/** The combined log format of Apache and nginx, and the common one, which is the same without referer and agent. */
import { fromRfc3339 } from '../../base/index.ts'
import { asked, type Draft, readInt, readText } from './record.ts'

// Quoted parts hold no bare quote: servers write it \" or \x22.
const quoted = String.raw`"((?:[^"\\]|\\.)*)"`
const pattern = new RegExp(
  String.raw`^(\S+) \S+ (?:[^[]*) ?\[([^\]]+)\] ${quoted} (\d{3}|-) (\d+|-)(?: ${quoted} ${quoted})?\s*$`,
)

/** Undefined when the line has another shape. The time is of the second the request was logged in; there is no other. */
export function readCombined(line: string): Draft | undefined {
  const parts = pattern.exec(line)
  if (!parts) return undefined
  const [, ip, time, request = '', status, bytes, referer, agent] = parts
  // Whatever a stranger sent stands here, a TLS greeting or nothing at all; then all of it is the target.
  const sent = readEscapes(request)
  const [, method, target = sent, protocol] = /^([A-Z]+) (\S+)(?: (HTTP\/\d(?:\.\d)?))?$/.exec(sent) ?? []
  const at = readTime(time ?? '')
  return {
    ...asked({
      ip: readText(ip),
      method,
      target: readText(target),
      protocol,
      referer: readText(readEscapes(referer ?? '')),
      agent: readText(readEscapes(agent ?? '')),
    }),
    EdgeEndTimestamp: at,
    EdgeResponseBodyBytes: readInt(bytes),
    EdgeResponseBytes: readInt(bytes),
    EdgeResponseStatus: readInt(status),
    EdgeStartTimestamp: at,
  }
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `15/Apr/2022:05:20:00 +0000` */
function readTime(text: string): bigint | undefined {
  const parts = /^(\d\d)\/(\w{3})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d\d)(\d\d)$/.exec(text)
  if (!parts) return undefined
  const [, day, name = '', year, clock, hours, minutes] = parts
  const month = String(months.indexOf(name) + 1).padStart(2, '0')
  return fromRfc3339(`${year}-${month}-${day}T${clock}${hours}:${minutes}`)
}

/** nginx writes every byte above 0x7e as `\xHH`, so a character may be several escapes: decode bytes, then UTF-8. */
function readEscapes(text: string): string {
  if (!text.includes('\\')) return text
  const letters: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', v: '\v' }
  const bytes: Buffer[] = []
  for (const [piece, hex, letter] of text.matchAll(/\\x([0-9a-fA-F]{2})|\\(.)|[^\\]+/gs)) {
    if (hex) bytes.push(Buffer.from(hex, 'hex'))
    else bytes.push(Buffer.from(letter ? (letters[letter] ?? letter) : piece))
  }
  return Buffer.concat(bytes).toString()
}
