/**
 * What the Terraform provider sends and reads for a job and for a ruleset, replayed: create, read, plan again, change,
 * delete. A plan has no drift when the service gives back, for every attribute the provider tracks, what it was sent.
 */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type House, startHouse } from './house.ts'
import { drift, type Json, jobDefaults, outputDefaults, type Provider, providerOf } from './provider.ts'

let house: House
let files: string
before(async () => {
  files = await mkdtemp(join(tmpdir(), 'spillway-terraform-'))
  house = await startHouse({ environment: { SPILLWAY_FILE_ROOT: files } })
})
after(async () => {
  await house.stop()
  await rm(files, { recursive: true, force: true })
})

const ask: Provider['ask'] = (...request) => providerOf(house, house.zone).ask(...request)

test('a job of version 5 of the provider is created, read, planned without drift, changed and deleted', async () => {
  const destination_conf = 'file:///terraform/five/{DATE}'
  // Two resources: the challenge first, then the job that spends it.
  const { result: challenge } = await ask('POST', '/logpush/ownership', { destination_conf })
  const ownership_challenge = (await readFile(join(files, challenge.filename as string), 'utf8')).trim()
  const planned: Json = {
    ...jobDefaults,
    dataset: 'http_requests',
    destination_conf,
    enabled: true,
    kind: '',
    filter: '{"where":{"and":[{"key":"ClientCountry","operator":"!eq","value":"ca"}]}}',
    name: 'example.com',
    ownership_challenge,
    output_options: { ...outputDefaults, field_names: ['ClientIP', 'EdgeStartTimestamp', 'RayID'] },
  }
  const made = await ask('POST', '/logpush/jobs', planned)
  const path = `/logpush/jobs/${made.result.id}`
  assert.deepEqual(drift(planned, made.result, ['ownership_challenge']), [])

  const refresh = async (plan: Json) => drift(plan, (await ask('GET', path)).result, ['ownership_challenge'])
  assert.deepEqual(await refresh(planned), [])
  assert.deepEqual(await refresh(planned), [])

  // An attribute that leaves the configuration is sent as null.
  const changed = {
    ...planned,
    name: null,
    filter: null,
    max_upload_bytes: 5_000_000,
    output_options: { ...outputDefaults, field_names: ['RayID'], timestamp_format: 'rfc3339', sample_rate: 0.5 },
  }
  const updated = await ask('PUT', path, changed)
  assert.deepEqual(drift(changed, updated.result, ['ownership_challenge']), [])
  assert.deepEqual([updated.result.name, updated.result.filter], ['', ''])
  assert.deepEqual(await refresh(changed), [])
  assert.equal((await ask('DELETE', path)).status, 200)
  assert.equal((await ask('GET', path)).status, 404)
})

test('a job of version 5.0, whose schema misspells the redaction, is taken for what it means', async () => {
  const { 'CVE-2021-44228': _, ...defaults } = outputDefaults
  const { result } = await ask('POST', '/logpush/jobs', {
    ...jobDefaults,
    destination_conf: 'https://logs.example.com/terraform?header_Authorization=Basic%20eDp5',
    output_options: { ...defaults, 'CVE-2021-4428': true, field_names: ['RayID'] },
  })
  assert.equal((result.output_options as Json)['CVE-2021-44228'], true)
  await ask('DELETE', `/logpush/jobs/${result.id}`)
})

test('a job of version 4 of the provider sends its dataset again with each change, and may send back all it read', async () => {
  const planned: Json = {
    dataset: 'http_requests',
    enabled: false,
    name: 'v4',
    logpull_options: 'fields=RayID,ClientIP&timestamps=rfc3339',
    destination_conf: 'datadog://http-intake.logs.datadoghq.com/api/v2/logs?header_DD-API-KEY=0123&ddsource=edge',
    frequency: 'low',
  }
  const made = await ask('POST', '/logpush/jobs', planned)
  const path = `/logpush/jobs/${made.result.id}`
  assert.deepEqual(drift(planned, made.result), [])
  const changed = { ...planned, enabled: true, name: 'v4-on' }
  assert.deepEqual(drift(changed, (await ask('PUT', path, changed)).result), [])
  const { result: whole } = await ask('GET', path)
  const again = await ask('PUT', path, { ...whole, logstream: true, enabled: false })
  assert.deepEqual(drift({ ...whole, enabled: false }, again.result), [])
  // The data source reads the list.
  const { result: listed } = await ask('GET', '/logpush/datasets/http_requests/jobs')
  assert.deepEqual(drift(again.result, (listed as unknown as Json[])[0] as Json), [])
  await ask('DELETE', path)
})

test('a ruleset is created, read, planned without drift, changed with its rules keeping their ids, and deleted', async () => {
  // The provider sends no rule ids, an empty description and empty parameters where there are none.
  const rules = [
    {
      ref: 'block-admin',
      action: 'block',
      action_parameters: {},
      description: '',
      enabled: true,
      expression: 'starts_with(http.request.uri.path, "/admin")',
    },
    {
      ref: 'skip-friends',
      action: 'skip',
      action_parameters: { ruleset: 'current', phases: ['http_ratelimit'] },
      description: 'friends',
      enabled: true,
      expression: 'ip.src in {192.0.2.0/24}',
      logging: { enabled: false },
    },
  ]
  const planned = { kind: 'zone', name: 'terraform', phase: 'http_request_firewall_custom', description: '', rules }
  const made = await ask('POST', '/rulesets', planned)
  assert.equal(made.status, 200)
  const path = `/rulesets/${made.result.id}`
  const refresh = async (plan: Json): Promise<string[]> => {
    const { result } = await ask('GET', path)
    const { rules: planRules, ...top } = plan as { rules: Json[] } & Json
    const answered = result.rules as Json[]
    assert.equal(answered.length, planRules.length)
    const inRules = planRules.flatMap((rule, at) => {
      // Parameters that are empty are the same as none to the provider.
      const { action_parameters: parameters, ...rest } = rule
      const isEmpty = Object.keys((parameters as Json) ?? {}).length === 0
      return drift(isEmpty ? rest : rule, answered[at] as Json)
    })
    return [...drift(top, result), ...inRules]
  }
  assert.deepEqual(await refresh(planned), [])
  const idsOf = async () =>
    Object.fromEntries((((await ask('GET', path)).result.rules as Json[]) ?? []).map(({ ref, id }) => [ref, id]))
  const before = await idsOf()

  const [first, second] = rules
  const added = { ...first, ref: 'log-all', action: 'log', expression: 'true' }
  const changed = { ...planned, description: 'changed', rules: [second, { ...first, enabled: false }, added] }
  assert.equal((await ask('PUT', path, changed)).status, 200)
  assert.deepEqual(await refresh(changed as Json), [])
  const now = await idsOf()
  assert.deepEqual([now['block-admin'], now['skip-friends']], [before['block-admin'], before['skip-friends']])

  assert.equal((await ask('DELETE', path)).status, 204)
  assert.equal((await ask('GET', path)).status, 404)
})
