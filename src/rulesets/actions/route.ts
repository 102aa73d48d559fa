/** Chooses the origin. */
import { object, optional, required, text, whole } from '../shape.ts'
import { defineAction } from './action.ts'

const host = text({ min: 1, max: 253, like: { pattern: /^[A-Za-z0-9._:[\]-]+$/, says: 'it is not a host name' } })

const parameters = object(
  {
    host_header: optional(host),
    origin: optional(object({ host: optional(host), port: optional(whole(1, 65_535)) }, { someOf: ['host', 'port'] })),
    sni: optional(object({ value: required(host) })),
  },
  { someOf: ['host_header', 'origin', 'sni'] },
)

export const route = defineAction({
  name: 'route',
  says: 'Sets the host header, the host and port of the origin, or the server name asked for in TLS; the last match wins for each.',
  terminating: false,
  parameters: () => parameters,
  examples: [{ host_header: 'www.example.com', origin: { host: 'origin.example.com', port: 8443 } }],
  act({ host_header, origin, sni }, { passage }) {
    if (host_header !== undefined) passage.origin.host_header = host_header
    Object.assign(passage.origin, origin)
    if (sni) passage.origin.sni = sni.value
    return undefined
  },
})
