/** Items of a list as lines of text, and back: one item a line, as people have them at hand. */
export const kinds = [
  ['ip', 'Addresses and networks', 'ip.src in $name'],
  ['hostname', 'Host names', 'http.host in $name'],
  ['asn', 'Autonomous systems', 'ip.src.asnum in $name'],
  ['string', 'Words', 'http.request.headers["x-key"][0] in $name'],
  ['redirect', 'Redirects, for bulk redirect rules', 'from_list of a redirect'],
] as const

export type ListKind = (typeof kinds)[number][0]
export type Item = Readonly<Record<string, unknown>>

/** What a line of each kind looks like. */
export const examples: Readonly<Record<string, string>> = {
  ip: '192.0.2.0/24 # office',
  hostname: 'shop.example.com # the new shop',
  asn: '64500 # our carrier',
  string: 'a word, or several',
  redirect: 'example.com/old https://www.example.com/new 301',
}

/** Lines become items; what is wrong with one the API says, by its number. */
export const readItems = (kind: string, text: string): readonly Item[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => readItem(kind, line))

function readItem(kind: string, line: string): Item {
  // A word may hold any character, a number sign too.
  if (kind === 'string') return { string: line }
  const at = line.search(/\s#/)
  const value = at === -1 ? line : line.slice(0, at).trim()
  const comment = at === -1 ? {} : { comment: line.slice(at).replace(/^\s*#\s*/, '') }
  if (kind === 'asn') return { asn: asnOf(value), ...comment }
  if (kind !== 'redirect') return { [kind]: value, ...comment }
  const [source_url = '', target_url = '', status] = value.split(/\s+/)
  return {
    redirect: { source_url, target_url, ...(status === undefined ? {} : { status_code: Number(status) }) },
    ...comment,
  }
}

/** `64500` and `AS64500` alike; anything else stays as it is, to be refused with a reason. */
const asnOf = (text: string): unknown => {
  const [, digits] = /^(?:AS)?(\d{1,10})$/i.exec(text) ?? []
  return digits === undefined ? text : Number(digits)
}

/** An item without its comment, in one line. */
export function wordsOf(kind: string, item: Item): string {
  const value = item[kind]
  if (typeof value !== 'object' || value === null) return String(value ?? '')
  const { source_url, target_url, status_code } = value as Item
  return `${source_url} → ${target_url}${status_code === undefined ? '' : ` (${status_code})`}`
}
