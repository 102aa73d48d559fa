/** The reference page of destinations, made from the registry and from the rules as the code holds them. */
import { type AnyKind, kinds } from '../../src/destinations/index.ts'

export function destinationsReference(): string {
  return [introduction, ...kinds.map(describe)].join('\n')
}

const introduction = `# Destinations

\`destination_conf\` is one string of at most 4096 visible ASCII characters. Everything else is percent-encoded; escapes
are decoded once, and \`+\` stays \`+\`. What a string does not say, or says twice, is refused with a reason that names the part.

- **One job per destination.** Two strings mean the same destination when their identity is the same. For object stores
  that is bucket and path as written, \`{DATE}\` unfilled: region, encryption, credentials, redundant slashes, a slash at the end and the
  letter case of the bucket make no difference; the letter case of the path does. For the others it is the address with its
  parameters; secrets enter as fingerprints.
- **Placeholders** in the path of an object store: \`{DATE}\` (YYYYMMDD), \`{HOUR}\` (HH), \`{MINUTE}\` (MM), all UTC. \`%7BDATE%7D\` is
  the same as \`{DATE}\`.
- **Outcomes.** 2xx is delivered. 408, 425, 429 and 5xx are tried again, after \`Retry-After\` if it is given (an hour at
  most). Other 4xx and redirects are refusals.
- **Addresses.** Only https, only ports 443 and 1024 to 65535 without other well-known services, only public addresses, unless
  the operator allows a network in \`SPILLWAY_ALLOWED_NETWORKS\`. Cloud metadata services stay closed in any case.
- **Headers** from \`header_<Name>\`: 20 at most, 2048 characters each, none that the connection or the service sets itself.
`

function describe({ kind, title, says, examples, isObjectStore, limits }: AnyKind): string {
  const most = [
    limits?.maxRecords === undefined ? [] : `${limits.maxRecords.toLocaleString('en')} records`,
    limits?.maxBytes === undefined ? [] : `${limits.maxBytes.toLocaleString('en')} bytes before compression`,
  ].flat()
  return [
    `## ${title} (\`${kind}\`)`,
    '',
    says,
    '',
    `- Delivery: ${isObjectStore ? 'effectively once; a repeat overwrites the same name with the same bytes' : 'at least once, with a stable batch id'}`,
    ...(most.length === 0 ? [] : [`- At most ${most.join(' and ')} in one request`]),
    '',
    '```',
    ...examples,
    '```',
    '',
  ].join('\n')
}
