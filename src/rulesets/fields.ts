/** How each field of the language gets its value from a request: a table of readers, by field name. */
import { createHash } from 'node:crypto'
import {
  emptyValues,
  type Field,
  fields,
  type Lists,
  parseIp,
  setValue,
  type Value,
  type Values,
} from '../expression/index.ts'
import { type Part, partsOf } from './multipart.ts'
import { type EdgeRequest, type EdgeResponse, type Headers, toBytes } from './request.ts'

/** What readers look at: the request now, as it came in, and the answer when there is one. */
export type Moment = {
  readonly request: EdgeRequest
  readonly original: EdgeRequest
  readonly response?: EdgeResponse | undefined
  readonly originalResponse?: EdgeResponse | undefined
}

type Reader = (request: EdgeRequest, moment: Moment) => Value | undefined

const header = (headers: Headers, name: string): string => {
  const values = headers.filter(([other]) => other.toLowerCase() === name).map(([, value]) => value)
  return values.join(name === 'cookie' ? '; ' : ', ')
}

const headerMap = (headers: Headers): ReadonlyMap<string, Value> =>
  grouped(headers.map(([name, value]) => [name.toLowerCase(), value]))

/** Pairs of one name become one array, in order. */
function grouped(pairs: Headers): ReadonlyMap<string, Value> {
  const map = new Map<string, string[]>()
  for (const [name, value] of pairs) {
    const values = map.get(name)
    if (values) values.push(value)
    else map.set(name, [value])
  }
  return map
}

/** `a=1&b`: names and values as they stand, not decoded. */
function pairsOf(text: string): Headers {
  return text
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const at = part.indexOf('=')
      return at === -1 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)]
    })
}

const names = (pairs: Headers): string[] => pairs.map(([name]) => name)
const values = (pairs: Headers): string[] => pairs.map(([, value]) => value)

const uri = ({ path, query }: EdgeRequest): string => (query === '' ? path : `${path}?${query}`)

function cookies(request: EdgeRequest): Headers {
  return header(request.headers, 'cookie')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const at = part.indexOf('=')
      return at === -1 ? [decoded(part), ''] : [decoded(part.slice(0, at)), part.slice(at + 1)]
    })
}

function decoded(name: string): string {
  try {
    return toBytes(decodeURIComponent(name))
  } catch {
    return name
  }
}

const mediaType = (headers: Headers): string =>
  (header(headers, 'content-type').split(';', 1)[0] ?? '').trim().toLowerCase()

const form = ({ headers, body }: EdgeRequest): Headers =>
  mediaType(headers) === 'application/x-www-form-urlencoded' ? pairsOf(body) : []

const parts = ({ headers, body }: EdgeRequest): Part[] => partsOf(header(headers, 'content-type'), body)

const partHeaders =
  (name: string): Reader =>
  (request) =>
    parts(request).map((part) => part.headers.get(name) ?? [])

/** The text after the last dot of the last path segment, in lower case. */
function extension({ path }: EdgeRequest): string {
  const segment = path.slice(path.lastIndexOf('/') + 1)
  const dot = segment.lastIndexOf('.')
  return dot === -1 ? '' : segment.slice(dot + 1).toLowerCase()
}

function languages({ headers }: EdgeRequest): string[] {
  return header(headers, 'accept-language')
    .split(',')
    .map((part) => {
      const [tag = '', ...options] = part.trim().split(';')
      const weight = options.map((option) => /^\s*q=([\d.]+)\s*$/.exec(option)?.[1]).find((text) => text !== undefined)
      return { tag: tag.trim(), weight: weight === undefined ? 1 : Number(weight) }
    })
    .filter(({ tag, weight }) => tag !== '' && tag !== '*' && weight > 0)
    .sort((left, right) => right.weight - left.weight)
    .map(({ tag }) => tag)
}

/** Everything about the address exists twice: as it is now, and as it came in. */
const addressReaders: Record<string, (request: EdgeRequest) => Value> = {
  'http.request.full_uri': (request) => `${request.scheme}://${request.host}${uri(request)}`,
  'http.request.uri': uri,
  'http.request.uri.path': ({ path }) => path,
  'http.request.uri.query': ({ query }) => query,
  'http.request.uri.args': ({ query }) => grouped(pairsOf(query)),
  'http.request.uri.args.names': ({ query }) => names(pairsOf(query)),
  'http.request.uri.args.values': ({ query }) => values(pairsOf(query)),
}

const responseReaders: Record<string, (response: EdgeResponse) => Value> = {
  'http.response.headers': ({ headers }) => headerMap(headers),
  'http.response.headers.names': ({ headers }) => names(headers),
  'http.response.headers.values': ({ headers }) => values(headers),
}

const port = ({ host, scheme }: EdgeRequest): number =>
  Number(/:(\d{1,5})$/.exec(host)?.[1] ?? (scheme === 'https' ? 443 : 80))

const readers: Record<string, Reader> = {
  ...addressReaders,
  ...Object.fromEntries(
    Object.entries(addressReaders).map(
      ([name, read]) => [`raw.${name}`, (_, { original }) => read(original)] as [string, Reader],
    ),
  ),
  ...Object.fromEntries(
    Object.entries(responseReaders).flatMap(([name, read]): [string, Reader][] => [
      [name, (_, { response }) => response && read(response)],
      [`raw.${name}`, (_, { originalResponse }) => originalResponse && read(originalResponse)],
    ]),
  ),
  'http.response.code': (_, { response }) => response?.status,
  'http.response.content_type.media_type': (_, { response }) => response && mediaType(response.headers),
  'http.cookie': ({ headers }) => header(headers, 'cookie'),
  'http.host': ({ host }) => host,
  'http.referer': ({ headers }) => header(headers, 'referer'),
  'http.user_agent': ({ headers }) => header(headers, 'user-agent'),
  'http.x_forwarded_for': ({ headers }) => header(headers, 'x-forwarded-for'),
  'http.request.method': ({ method }) => method,
  'http.request.version': ({ protocol }) => protocol,
  'http.request.uri.path.extension': extension,
  'http.request.cookies': (request) => grouped(cookies(request)),
  'http.request.headers': ({ headers }) => headerMap(headers),
  'http.request.headers.names': ({ headers }) => names(headers),
  'http.request.headers.values': ({ headers }) => values(headers),
  'http.request.accepted_languages': languages,
  'http.request.timestamp.sec': ({ at }) => Number(at / 1_000_000_000n),
  'http.request.timestamp.msec': ({ at }) => Number((at / 1_000_000n) % 1000n),
  'http.request.body.raw': ({ body }) => body,
  'http.request.body.size': ({ body, bodySize }) => bodySize ?? body.length,
  'http.request.body.truncated': ({ body, bodySize }) => (bodySize ?? body.length) > body.length,
  'http.request.body.form': (request) => grouped(form(request)),
  'http.request.body.form.names': (request) => names(form(request)),
  'http.request.body.form.values': (request) => values(form(request)),
  'http.request.body.multipart': (request) =>
    grouped(parts(request).flatMap(({ names, value }) => names.map((name) => [name, value] as const))),
  'http.request.body.multipart.names': (request) => parts(request).map((part) => part.names),
  'http.request.body.multipart.values': (request) => parts(request).map((part) => part.value),
  'http.request.body.multipart.filenames': (request) => parts(request).map((part) => part.filenames),
  'http.request.body.multipart.content_types': partHeaders('content-type'),
  'http.request.body.multipart.content_dispositions': partHeaders('content-disposition'),
  'http.request.body.multipart.content_transfer_encodings': partHeaders('content-transfer-encoding'),
  'http.request.body.mime': ({ headers, body }) => (body === '' ? undefined : mediaType(headers)),
  'ip.src': ({ ip }) => parseIp(ip),
  ssl: ({ scheme }) => scheme === 'https',
  'cf.ray_id': ({ id }) => id,
  'cf.random_seed': ({ id }) => createHash('sha256').update(id).digest().toString('latin1'),
  'cf.edge.server_port': port,
  'cf.edge.client_tcp': ({ protocol }) => protocol !== 'HTTP/3',
  'cf.zone.plan': () => 'ENT',
  // One place counts for all: counters are kept per node, and a node is one data centre.
  'cf.colo.id': () => 1,
  'cf.unique_visitor_id': ({ ip }) => ip,
  'ip.proto': () => 'tcp',
  'tcp.dstport': port,
}

export type FieldTable = (moment: Moment, lists: Lists) => Values

/** Makes tables that hold only the fields that rules use: the rest is never computed. */
export function tableOf(used: ReadonlySet<string>): FieldTable {
  const wanted = fields.filter((field) => used.has(field.name)).map((field) => ({ field, ...readerOf(field) }))
  return (moment, lists) => {
    const table = emptyValues(lists)
    for (const { field, name, read } of wanted) {
      // A fact handed in comes first, then what the request says, then the default of the language.
      const fact = moment.request.facts[name]
      if (fact === undefined || !setValue(table, field, fact))
        table.slots[field.slot] = read?.(moment.request, moment) ?? field.default
    }
    return table
  }
}

const readerOf = ({ name, aliasOf = name }: Field) => ({ name: aliasOf, read: readers[aliasOf] })
