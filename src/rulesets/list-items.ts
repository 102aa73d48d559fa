/** What the items of each kind of list look like, and the one spelling by which two of them are the same. */
import { domainToASCII } from 'node:url'
import { listOf } from '../expression/index.ts'
import {
  checked,
  filled,
  flag,
  object,
  oneOf,
  optional,
  type Place,
  required,
  type Shape,
  text,
  whole,
} from './shape.ts'

const listKinds = ['ip', 'hostname', 'asn', 'string', 'redirect'] as const
export type ListKind = (typeof listKinds)[number]

export type ListItem = {
  readonly value: string
  readonly content: Readonly<Record<string, unknown>>
  readonly comment: string
}

const name = text({
  max: 50,
  like: { pattern: /^[a-z0-9_]+$/, says: 'a list is named by lower-case letters, digits and underscores' },
})
const description = text({ max: 500 })

export const listDraft = object({
  name: required(name),
  kind: required(oneOf(...listKinds)),
  description: optional(description),
})
export const listUpdate = object({ description: required(description) })

const comment = filled(text({ max: 500 }), '')

/** An item of one kind: its member is read, brought into one spelling, and shown under the same name. */
const itemOf =
  <T>(member: string, shape: Shape<T>, spell: (value: T) => { value: string; content: unknown }): Shape<ListItem> =>
  (value, place) => {
    const read = object({ [member]: required(shape), comment } as const)(value, place) as
      | { comment: string; [member: string]: unknown }
      | undefined
    if (!read || read[member] === undefined) return undefined
    const spelled = spell(read[member] as T)
    return { value: spelled.value, content: { [member]: spelled.content }, comment: read.comment }
  }

const same = (text: string) => ({ value: text, content: text })

const redirect = object({
  source_url: required(text({ min: 1, max: 2048 })),
  target_url: required(
    text({
      min: 1,
      max: 2048,
      like: { pattern: /^https?:\/\/[^\s/?#][^\0-\x20]*$/i, says: 'it is not an http(s) address' },
    }),
  ),
  status_code: optional(oneOf(301, 302, 307, 308)),
  preserve_query_string: optional(flag),
})

export const itemShapes: Readonly<Record<ListKind, Shape<ListItem>>> = {
  ip: itemOf('ip', checked(text({ min: 1, max: 50 }), judgeNetwork), (ip) => same(ip.toLowerCase())),
  hostname: itemOf('hostname', checked(text({ min: 1, max: 253 }), judgeHost), (host) => same(domainToASCII(host))),
  asn: itemOf('asn', whole(0, 4_294_967_295), (asn) => ({ value: String(asn), content: asn })),
  string: itemOf('string', text({ min: 1, max: 1024 }), same),
  redirect: itemOf('redirect', redirect, (item) => ({ value: redirectKey(item.source_url), content: item })),
}

/** Sources are compared without their scheme, and a bare host has the path `/`. */
export function redirectKey(address: string): string {
  const [, host = '', rest = ''] = /^(?:https?:\/\/)?([^/?#]*)([^?#]*)/i.exec(address) ?? []
  return `${host.toLowerCase()}${rest || '/'}`
}

function judgeNetwork(ip: string, place: Place): void {
  if (!listOf('Ip', [ip])) place.refuse(ip, 'it is neither an address nor a network whose host part is zero')
}

function judgeHost(host: string, place: Place): void {
  if (domainToASCII(host) === '' || /[\s/:@]/.test(host)) place.refuse(host, 'it is not a host name')
}
