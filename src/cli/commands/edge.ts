/** The configuration by which an edge asks Spillway: the examples of docs/edge, filled in for a zone. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { access } from '../../contract/index.ts'
import { CommandError, command, UsageError } from '../command.ts'
import { connect, connectFlags, scopeFlags } from '../connect.ts'

/** Beside `src` in a checkout, beside `dist/src` when installed. */
const examples = join(import.meta.dirname, '../../../docs/edge')

/** How each example says where the edge itself listens. */
const edges = {
  nginx: { file: 'nginx/spillway.conf', listens: 'listen 80;', listenAt: (port: string) => `listen ${port};` },
  caddy: { file: 'caddy/Caddyfile', listens: 'www.example.com {', listenAt: (port: string) => `:${port} {` },
} as const

const port = /^\d{1,5}$/
const address = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[a-z0-9.-]+):\d{1,5}$/i

export const edgeCommands = [
  command({
    name: 'edge config',
    says: 'Make an edge token for a zone, and print the configuration by which nginx or Caddy asks with it.',
    takes: '<nginx|caddy>',
    offers: Object.keys(edges),
    flags: {
      ...connectFlags,
      ...scopeFlags,
      origin: { type: 'string', value: '<host:port>', says: 'Where requests go that rules let pass. [127.0.0.1:8080]' },
      listen: {
        type: 'string',
        value: '<port>',
        says: 'The port the edge listens on; as the example has it unless said.',
      },
    },
    more: [
      'The configuration holds the secret of the token: keep it from strangers. What it sets, and the one for Envoy: docs/edge.',
      '',
      '  spillway edge config nginx --origin 10.0.0.5:8080 > /etc/nginx/conf.d/spillway.conf',
    ].join('\n'),
    async run(terminal, given, [word = '']) {
      const edge = Object.hasOwn(edges, word) ? edges[word as keyof typeof edges] : undefined
      if (!edge) throw new UsageError(`say which edge: ${Object.keys(edges).join(', ')}`)
      if (given.listen !== undefined && !port.test(given.listen)) throw new UsageError('--listen is not a port')
      if (given.origin !== undefined && !address.test(given.origin))
        throw new UsageError('--origin is not a host and a port, such as 127.0.0.1:8080')
      const { client, account, scope, baseUrl } = connect(given)
      const place = await scope()
      if (!('zone' in place)) throw new CommandError('which zone? say --zone <id|name>')
      const token = await client.call(access.createToken, {
        scope: { account: account() },
        body: { name: word, permissions: ['edge:decide'], zones: [place.zone] },
      })
      const filled = readFileSync(join(examples, edge.file), 'utf8')
        .replaceAll('ZONE_ID', place.zone)
        .replaceAll('EDGE_TOKEN', String(token.value))
        .replaceAll('127.0.0.1:8787', new URL(baseUrl).host)
        .replaceAll('127.0.0.1:8080', given.origin ?? '127.0.0.1:8080')
        .replace(edge.listens, given.listen === undefined ? edge.listens : edge.listenAt(given.listen))
      terminal.out(given.json ? JSON.stringify({ token_id: token.id, configuration: filled }, null, 2) : filled)
      return 0
    },
  }),
]
