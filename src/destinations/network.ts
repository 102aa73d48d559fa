/**
 * Which addresses a tenant's destination may lie at. Everything that is not plainly the public internet is refused,
 * because what stands behind it trusts its neighbours: metadata services, databases, this service itself.
 * IANA special-purpose address registries; RFC 6890 and its successors.
 */
import { accept, type Judged, reject } from '../base/index.ts'

export type NetworkPolicy = {
  /** Why this address may not be dialled; undefined when it may. */
  refuses(address: string): string | undefined
}

/** First match speaks. IPv6 begins with what is not global unicast at all; the rest are holes in 2000::/3. */
const refused: readonly (readonly [cidr: string, why: string])[] = [
  ['0.0.0.0/8', 'this host'],
  ['10.0.0.0/8', 'a private network'],
  ['100.64.0.0/10', 'a carrier network'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'a private network'],
  ['192.0.0.0/24', 'reserved'],
  ['192.0.2.0/24', 'documentation'],
  ['192.31.196.0/24', 'reserved'],
  ['192.52.193.0/24', 'reserved'],
  ['192.88.99.0/24', 'a 6to4 relay'],
  ['192.168.0.0/16', 'a private network'],
  ['192.175.48.0/24', 'reserved'],
  ['198.18.0.0/15', 'a test network'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved or broadcast'],
  ['::/128', 'this host'],
  ['::1/128', 'loopback'],
  ['::ffff:0:0/96', 'an IPv4 address in disguise'],
  ['::/96', 'an IPv4 address in disguise'],
  ['::ffff:0:0:0/96', 'an IPv4 address in disguise'],
  ['64:ff9b::/96', 'a translated IPv4 address'],
  ['64:ff9b:1::/48', 'a translated IPv4 address'],
  ['fc00::/7', 'a private network'],
  ['fe80::/10', 'link-local'],
  ['fec0::/10', 'site-local'],
  ['ff00::/8', 'multicast'],
  ['::/3', 'reserved'],
  ['4000::/2', 'reserved'],
  ['8000::/1', 'reserved'],
  ['2001::/32', 'a Teredo tunnel'],
  ['2001:2::/48', 'a test network'],
  ['2001:10::/28', 'reserved'],
  ['2001:20::/28', 'reserved'],
  ['2001:db8::/32', 'documentation'],
  ['2002::/16', 'a 6to4 tunnel'],
  ['3fff::/20', 'documentation'],
]

/** Cloud metadata services hand out credentials. No allow-list opens them, not even 0.0.0.0/0. */
const metadata = ['169.254.169.254', '169.254.170.2', '100.100.100.200', 'fd00:ec2::254', 'fd20:ce::254']

/** The policy with an operator's own networks let through, given as CIDRs or single addresses. */
export function makeNetworkPolicy(allowed: readonly string[]): Judged<NetworkPolicy> {
  const networks = allowed.map((text) => ({ text, network: readNetwork(text) }))
  const unread = networks.filter(({ network }) => network === undefined)
  if (unread.length > 0) return reject(...unread.map(({ text }) => `"${text}" is not a network such as 10.1.0.0/16`))
  return accept({
    refuses(text) {
      const address = readAddress(text)
      if (!address) return 'not an address'
      if (closed.some((network) => holds(network, address))) return 'a metadata service'
      if (networks.some(({ network }) => network && holds(network, address))) return undefined
      return rules.find(({ network }) => holds(network, address))?.why
    },
  })
}

type Address = { readonly bits: 32 | 128; readonly value: bigint }
type Network = Address & { readonly prefix: number }

const holds = (network: Network, address: Address): boolean =>
  network.bits === address.bits && (network.value ^ address.value) >> BigInt(network.bits - network.prefix) === 0n

function readNetwork(text: string): Network | undefined {
  const [address = '', prefix, ...more] = text.split('/')
  const base = readAddress(address)
  if (!base || more.length > 0 || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) return undefined
  const length = prefix === undefined ? base.bits : Number(prefix)
  return length <= base.bits ? { ...base, prefix: length } : undefined
}

const mustRead = (text: string): Network => {
  const network = readNetwork(text)
  if (!network) throw new Error(`${text} is not a network`)
  return network
}

const rules = refused.map(([cidr, why]) => ({ network: mustRead(cidr), why }))
const closed = metadata.map(mustRead)

/** Dotted decimal with four plain numbers, or IPv6 without a zone; every other spelling is no address to us. */
function readAddress(text: string): Address | undefined {
  if (!text.includes(':')) {
    const value = readIpv4(text)
    return value === undefined ? undefined : { bits: 32, value }
  }
  const tail = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text)
  const embedded = tail ? readIpv4(tail[2] ?? '') : undefined
  if (tail && embedded === undefined) return undefined
  const plain =
    embedded === undefined ? text : `${tail?.[1]}${(embedded >> 16n).toString(16)}:${(embedded & 0xffffn).toString(16)}`
  const [head = '', rest, ...more] = plain.split('::')
  const words = (part: string | undefined) => (part ? part.split(':') : [])
  const missing = 8 - words(head).length - words(rest).length
  if (more.length > 0 || (rest === undefined ? missing !== 0 : missing < 1)) return undefined
  const all = [...words(head), ...Array<string>(rest === undefined ? 0 : missing).fill('0'), ...words(rest)]
  if (!all.every((word) => /^[0-9a-f]{1,4}$/i.test(word))) return undefined
  return { bits: 128, value: all.reduce((sum, word) => (sum << 16n) | BigInt(`0x${word}`), 0n) }
}

function readIpv4(text: string): bigint | undefined {
  const bytes = text.split('.')
  if (bytes.length !== 4 || !bytes.every((byte) => /^(0|[1-9]\d{0,2})$/.test(byte) && Number(byte) <= 255))
    return undefined
  return bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
}
