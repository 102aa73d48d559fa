/** A house whose tenants export to files, and short words for what the journeys do there. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  access,
  audit,
  type BodyOf,
  type Client,
  type Credential,
  credentialHeaders,
  type Envelope,
  logexport,
  type ResultOf,
  type ScopeRef,
} from '../../src/contract/index.ts'
import { type House, type HouseSettings, startHouse } from '../house.ts'

export type Job = ResultOf<typeof logexport.viewJob>
export type Draft = BodyOf<typeof logexport.createJob>
export type Answer = { readonly status: number; readonly body: Envelope }

export type JobHouse = House & {
  readonly fileRoot: string
  /** Reads the token of a new challenge at a `file://` destination. */
  prove(conf: string, scope?: ScopeRef, client?: Client): Promise<string>
  /** A job, its ownership proven. */
  make(conf: string, fields?: Partial<Draft>, scope?: ScopeRef, client?: Client): Promise<Job>
  /** One request below the scope's `/logexport`, and the whole answer to it. */
  ask(method: string, path: string, body?: unknown, settings?: AskSettings): Promise<Answer>
  /** An account with a zone and a token for it: nothing to do with the first one. */
  newTenant(name: string): Promise<Tenant>
  /** A token with only these permissions in the first account. */
  tokenWith(...permissions: BodyOf<typeof access.createToken>['permissions']): Promise<Credential>
  /** Audit entries of one job, oldest first. */
  auditOf(job: number): Promise<ResultOf<typeof audit.listAccountAudit>>
}

export type Tenant = {
  readonly account: string
  readonly zone: string
  readonly credential: Credential
  client: Client
}

type AskSettings = {
  readonly scope?: ScopeRef
  readonly credential?: Credential
  readonly headers?: Readonly<Record<string, string>>
  /** `logpush` speaks the hosted dialect. */
  readonly word?: 'logexport' | 'logpush'
}

export async function startJobHouse(settings: HouseSettings = {}): Promise<JobHouse> {
  // One that is asked for is kept at the end, as a data directory is.
  const asked = settings.environment?.SPILLWAY_FILE_ROOT
  const fileRoot = asked ?? (await mkdtemp(join(tmpdir(), 'spillway-exports-')))
  const environment = { ...settings.environment, SPILLWAY_FILE_ROOT: fileRoot }
  const house = await startHouse({ ...settings, environment })

  async function prove(conf: string, scope: ScopeRef = house.zoneScope, client = house.client): Promise<string> {
    const body = { destination_conf: conf }
    const { valid, message, filename } = await client.call(logexport.issueChallenge, { scope, body })
    if (!valid) throw new Error(message)
    return (await readFile(join(fileRoot, filename), 'utf8')).trim()
  }

  return {
    ...house,
    fileRoot,
    prove,
    async make(conf, fields = {}, scope = house.zoneScope, client = house.client) {
      const proof = { destination_conf: conf, ownership_challenge: await prove(conf, scope, client) }
      return client.call(logexport.createJob, { scope, body: { ...proof, ...fields } })
    },
    async ask(method, path, body, { scope = house.zoneScope, credential = house.credential, headers, word } = {}) {
      const place = 'zone' in scope ? `/zones/${scope.zone}` : `/accounts/${scope.account}`
      const response = await fetch(`${house.baseUrl}${place}/${word ?? 'logexport'}${path}`, {
        method,
        headers: { ...credentialHeaders(credential), 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return { status: response.status, body: (await response.json()) as Envelope }
    },
    async newTenant(name) {
      const account = await house.client.call(access.createAccount, { body: { name } })
      const zone = await house.client.call(access.createZone, {
        body: { name: `${name}.example`, account: { id: account.id } },
      })
      const { value = '' } = await house.client.call(access.createToken, {
        scope: { account: account.id },
        body: { name: 'everything', permissions: ['logs:edit', 'account:admin'] },
      })
      const credential = { token: value }
      return { account: account.id, zone: zone.id, credential, client: house.as(credential) }
    },
    async tokenWith(...permissions) {
      const body = { name: permissions.join(' '), permissions }
      const { value = '' } = await house.client.call(access.createToken, { scope: house.accountScope, body })
      return { token: value }
    },
    async auditOf(job) {
      const entries = await house.client.call(audit.listAccountAudit, {
        scope: house.accountScope,
        query: { per_page: 1000, direction: 'asc' },
      })
      return entries.filter(({ resource }) => resource.type === 'logexport_job' && resource.id === String(job))
    },
    async stop() {
      await house.stop()
      if (!asked) await rm(fileRoot, { recursive: true, force: true })
    },
  }
}
