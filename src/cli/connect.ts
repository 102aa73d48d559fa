/** From flags, the environment or `<data>/first-run.json` to a client, and to the account or zone a command is about. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isId } from '../base/index.ts'
import { readCliEnvironment } from '../config.ts'
import { access, type Client, type Credential, makeClient, type ScopeRef } from '../contract/index.ts'
import { datasets } from '../datasets/index.ts'
import { CommandError, type Flags, type Given } from './command.ts'

/** The flags of every command that talks to a service. */
export const connectFlags = {
  url: { type: 'string', value: '<address>', says: 'The service, up to /v4. [SPILLWAY_URL, or first-run.json]' },
  email: { type: 'string', value: '<address>', says: 'Whose API key it is. [SPILLWAY_EMAIL]' },
  key: { type: 'string', value: '<key>', says: 'An API key. [SPILLWAY_KEY]' },
  token: { type: 'string', value: '<token>', says: 'An API token, instead of e-mail and key. [SPILLWAY_TOKEN]' },
  data: { type: 'string', value: '<directory>', says: 'Where first-run.json is. [SPILLWAY_DATA, ./data]' },
  json: { type: 'boolean', says: 'Print the result as JSON.' },
} as const satisfies Flags

export const accountFlag = {
  account: { type: 'string', value: '<id>', says: 'The account. [SPILLWAY_ACCOUNT, or the first one]' },
} as const satisfies Flags

export const scopeFlags = {
  ...accountFlag,
  zone: { type: 'string', value: '<id|name>', says: 'The zone, by id or by name. [SPILLWAY_ZONE, or the first one]' },
} as const satisfies Flags

/** A dataset by name; the operator's own are taken too, and only the shipped ones completed. */
export const datasetFlag = (says: string) =>
  ({ type: 'string', value: '<name>', says, offers: datasets.map(({ name }) => name) }) as const

type ConnectGiven = Given<typeof connectFlags> & Partial<Given<typeof scopeFlags>>

export type Connection = {
  readonly client: Client
  readonly baseUrl: string
  readonly credential: Credential
  account(): string
  /** The zone or account of the flags; the first zone when nothing is said. */
  scope(): Promise<ScopeRef>
}

export function connect(given: ConnectGiven): Connection {
  const environment = readCliEnvironment()
  const first = readFirstRun(given.data ?? environment.data ?? './data')
  const baseUrl = given.url ?? environment.url ?? first?.base_url
  if (!baseUrl) {
    throw new CommandError(
      'no service is known here; start one with "npm start", or say --url and --token (or --email and --key)',
    )
  }
  if (!/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? ''))
    throw new CommandError(`${baseUrl} is not the address of a service, such as http://127.0.0.1:8787`)
  const credential = credentialOf(given, environment, first)
  const client = makeClient({ baseUrl: withVersion(baseUrl), credential, interface: 'CLI' })
  const account = () => {
    const id = given.account ?? environment.account ?? first?.account_id
    if (!id) throw new CommandError('which account? say --account <id>')
    return id
  }
  return {
    client,
    baseUrl: withVersion(baseUrl),
    credential,
    account,
    async scope() {
      const zone = given.zone ?? (given.account === undefined ? (environment.zone ?? first?.zone_id) : undefined)
      if (zone === undefined) return { account: account() }
      if (isId(zone)) return { zone }
      const [found] = await client.call(access.listZones, { query: { name: zone } })
      if (!found) throw new CommandError(`there is no zone named ${zone}; "spillway zones list" shows those there are`)
      return { zone: found.id }
    },
  }
}

const withVersion = (url: string): string => {
  const bare = url.replace(/\/+$/, '')
  return /\/v4$/.test(bare) ? bare : `${bare}/v4`
}

type FirstRunFile = { base_url: string; email: string; key: string; account_id: string; zone_id: string }

function readFirstRun(data: string): FirstRunFile | undefined {
  try {
    return JSON.parse(readFileSync(join(data, 'first-run.json'), 'utf8'))
  } catch {
    return undefined
  }
}

function credentialOf(
  given: ConnectGiven,
  environment: ReturnType<typeof readCliEnvironment>,
  first?: FirstRunFile,
): Credential {
  // A credential said on the command line beats one of the environment, whatever its sort.
  for (const { token, email, key } of [given, environment, first ?? {}] as {
    token?: string
    email?: string
    key?: string
  }[]) {
    if (token) return { token }
    if (email && key) return { email, key }
    if (email || key)
      throw new CommandError('an e-mail address and an API key belong together; say both --email and --key')
  }
  throw new CommandError('no credentials are known here; say --token, or --email and --key')
}
