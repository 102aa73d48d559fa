/** The parts of a multipart body (RFC 7578), as far as rules look at them. A body that is not well formed has none. */

export type Part = {
  readonly names: readonly string[]
  readonly filenames: readonly string[]
  readonly headers: ReadonlyMap<string, readonly string[]>
  readonly value: string
}

// A form has dozens of parts; what has thousands wants to cost time.
const mostParts = 200

export function partsOf(contentType: string, body: string): Part[] {
  const boundary = /^multipart\/[\w.+-]+\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s";]{1,70}))/i.exec(contentType)
  const mark = boundary?.[1] ?? boundary?.[2]
  if (mark === undefined) return []
  const sections = `\r\n${body}`.split(`\r\n--${mark}`, mostParts + 2).slice(1)
  const end = sections.findIndex((section) => section.startsWith('--'))
  return sections
    .slice(0, end === -1 ? mostParts : end)
    .flatMap((section) => readPart(section.replace(/^[ \t]*\r\n/, '')))
}

function readPart(section: string): Part[] {
  // A part without headers begins with the empty line.
  const text = section.startsWith('\r\n') ? `\r\n${section}` : section
  const cut = text.indexOf('\r\n\r\n')
  if (cut === -1) return []
  const headers = new Map<string, string[]>()
  for (const line of text.slice(0, cut).split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon < 1) continue
    const name = line.slice(0, colon).trim().toLowerCase()
    headers.set(name, [...(headers.get(name) ?? []), line.slice(colon + 1).trim()])
  }
  const dispositions = headers.get('content-disposition') ?? []
  return [
    {
      names: dispositions.flatMap((line) => parameter(line, 'name')),
      filenames: dispositions.flatMap((line) => parameter(line, 'filename')),
      headers,
      value: text.slice(cut + 4),
    },
  ]
}

const parameter = (line: string, name: string): string[] => {
  const [, quoted, bare] = new RegExp(String.raw`;\s*${name}=(?:"((?:[^"\\]|\\.)*)"|([^\s";]*))`, 'i').exec(line) ?? []
  const value = quoted?.replaceAll(/\\(.)/g, '$1') ?? bare
  return value === undefined ? [] : [value]
}
