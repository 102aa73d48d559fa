/** The job resource through the API: fields, limits, what may change, who may see what. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { logexport } from '../src/contract/index.ts'
import { type Answer, type Job, type JobHouse, startJobHouse } from './journeys/job-house.ts'

let house: JobHouse
before(async () => {
  house = await startJobHouse()
})
after(() => house.stop())

const errorsOf = ({ body }: Answer) => body.errors.map(({ code, message, source }) => [code, source?.pointer, message])
const pointersOf = ({ body }: Answer) => body.errors.map(({ source }) => source?.pointer).sort()
const jobOf = ({ body }: Answer) => body.result as Job
let made = 0
const newConf = () => {
  made += 1
  return `file:///place-${made}`
}

describe('making a job', () => {
  test('keeps every field as it was sent, and never gives back the challenge', async () => {
    const fields = {
      dataset: 'firewall_events',
      name: 'www.example.com',
      enabled: true,
      logfetch_options: 'https://host/logs?fields=RayID%2CClientIP&sample=0.10&CVE-2021-44228=true',
      output_options: null,
      filter: '{"where":{"and":[{"key":"ClientCountry","operator":"!eq","value":"nz"}]}}',
      frequency: 'low' as const,
      max_upload_bytes: 5_000_000,
      max_upload_records: 0,
      max_upload_interval_seconds: 300,
    }
    const conf = newConf()
    const job = await house.make(conf, fields)
    assert.deepEqual(job, {
      ...fields,
      id: job.id,
      kind: '',
      destination_conf: conf,
      last_complete: null,
      last_error: null,
      error_message: null,
    })
  })

  test('an edge job is for http_requests only', async () => {
    assert.equal((await house.make(newConf(), { kind: 'edge' })).kind, 'edge')
    const conf = newConf()
    const body = { destination_conf: conf, ownership_challenge: await house.prove(conf), kind: 'edge' }
    assert.deepEqual(errorsOf(await house.ask('POST', '/jobs', { ...body, dataset: 'dns_logs' })), [
      [1002, '/kind', 'kind edge is only for http_requests'],
    ])
  })

  test('null means the default wherever a field may be left out', async () => {
    const fields = ['dataset', 'name', 'enabled', 'kind', 'logfetch_options', 'output_options', 'filter', 'frequency']
    const nothing = Object.fromEntries([...fields, 'max_upload_bytes'].map((field) => [field, null]))
    const [plain, explicit] = [await house.make(newConf()), await house.make(newConf(), nothing)]
    assert.deepEqual({ ...explicit, id: 0, destination_conf: '' }, { ...plain, id: 0, destination_conf: '' })
    assert.deepEqual([plain.dataset, plain.name, plain.enabled, plain.frequency], ['http_requests', '', false, 'high'])
  })

  test('every mistake in the shape is told at once, with its place, and once', async () => {
    const answer = await house.ask('POST', '/jobs', {
      name: 'no spaces_or underscores',
      dataset: 'http requests',
      enabled: 'yes',
      kind: 'instant',
      frequency: 'never',
      filter: 7,
      output_options: [],
      max_upload_bytes: 1.5,
      max_upload_records: -1,
      last_complete: '2026-01-01T00:00:00Z',
      colour: 'red',
    })
    assert.equal(answer.status, 400)
    assert.deepEqual(pointersOf(answer), [
      '/colour',
      '/dataset',
      '/destination_conf',
      '/enabled',
      '/filter',
      '/frequency',
      '/kind',
      '/last_complete',
      '/max_upload_bytes',
      '/max_upload_records',
      '/name',
      '/output_options',
    ])
    assert.ok(answer.body.errors.every(({ code, message }) => code === 1002 && !/must be null/.test(message)))
  })

  test('every mistake in the meaning is told at once, with its place', async () => {
    const answer = await house.ask('POST', '/jobs', {
      destination_conf: 's3://logs/../x?sse=none',
      logfetch_options: 'fields=RayID,Nope&sample=0.0001',
      filter: '{"where":{"key":"Nope","operator":"eq","value":1}}',
      max_upload_bytes: 4,
      max_upload_interval_seconds: 29,
    })
    assert.equal(answer.status, 400)
    assert.deepEqual(pointersOf(answer), [
      '/destination_conf',
      '/destination_conf',
      '/destination_conf',
      '/filter',
      '/logfetch_options',
      '/logfetch_options',
      '/max_upload_bytes',
      '/max_upload_interval_seconds',
    ])
    const output = await house.ask('POST', '/jobs', {
      destination_conf: newConf(),
      output_options: { field_names: ['RayID', 'Nope'], timestamp_format: 'unix', sample_rate: 0 },
    })
    assert.deepEqual(pointersOf(output), ['/output_options/field_names/1', '/output_options/sample_rate'])
  })

  test('a thousand mistakes of one sort are told twenty times', async () => {
    const field_names = Array.from({ length: 5000 }, (_, n) => `Nope${n}`)
    const created = await house.ask('POST', '/jobs', { destination_conf: newConf(), output_options: { field_names } })
    assert.deepEqual([created.status, created.body.errors.length], [400, 20])
    const logfetch_options = `fields=${'x,'.repeat(2000)}`
    const judged = await house.ask('POST', '/validate/origin', { logfetch_options })
    assert.ok(JSON.stringify(judged.body).length < 5000)
  })

  test('names have letters, digits, dots and hyphens, up to 512', async () => {
    for (const name of ['', 'a', 'www.Example-1.com', 'x'.repeat(512)])
      assert.equal((await house.make(newConf(), { name })).name, name)
    for (const name of ['a b', 'a_b', 'é', 'a/b', 'a\n', 'x'.repeat(513)])
      assert.deepEqual(pointersOf(await house.ask('POST', '/jobs', { destination_conf: newConf(), name })), ['/name'])
  })

  test('a dataset belongs to zones, to accounts, or to neither', async () => {
    const create = (dataset: string | undefined, scope: { zone: string } | { account: string }) =>
      house.ask(
        'POST',
        '/jobs',
        { destination_conf: newConf(), ...(dataset === undefined ? {} : { dataset }) },
        { scope },
      )
    const { accountScope, zoneScope } = house
    for (const [dataset, scope] of [
      ['audit_logs', zoneScope],
      ['gateway_dns', zoneScope],
      ['http_requests', accountScope],
      [undefined, accountScope],
      ['nonsense', zoneScope],
      ['__proto__', zoneScope],
      ['', zoneScope],
    ] as const) {
      const answer = await create(dataset, scope)
      assert.equal(answer.status, 400)
      assert.deepEqual([errorsOf(answer)[0]?.[0], pointersOf(answer)], [1002, ['/dataset']], dataset)
    }
    const conf = newConf()
    const job = await house.make(conf, { dataset: 'audit_logs' }, accountScope)
    assert.equal(job.dataset, 'audit_logs')
    assert.deepEqual(
      await house.client.call(logexport.viewJob, { scope: accountScope, params: { job_id: job.id } }),
      job,
    )
    assert.equal((await house.ask('GET', `/jobs/${job.id}`)).status, 404, 'a job of the account is none of its zone')
  })

  test('a body that is no object, or none, is refused', async () => {
    for (const body of [undefined, null, [], 'text', 7]) {
      const { status } = await house.ask('POST', '/jobs', body)
      assert.equal(status, 400, JSON.stringify(body))
    }
  })

  test('a number that JSON can say and no job can have does no harm', async () => {
    for (const max_upload_records of [1e300, 2 ** 53, 1e6 + 1]) {
      const answer = await house.ask('POST', '/jobs', { destination_conf: newConf(), max_upload_records })
      assert.deepEqual(pointersOf(answer), ['/max_upload_records'])
    }
  })
})

describe('finding a job', () => {
  test('lists are of the scope, by age, and of one dataset when asked', async () => {
    const tenant = await house.newTenant('lists')
    const scope = { zone: tenant.zone }
    const first = await house.make(newConf(), {}, scope)
    const second = await house.make(newConf(), { dataset: 'dns_logs' }, scope)
    assert.deepEqual(await tenant.client.call(logexport.listJobs, { scope }), [first, second])
    const of = (dataset: string) => tenant.client.call(logexport.listDatasetJobs, { scope, params: { dataset } })
    assert.deepEqual(await of('dns_logs'), [second])
    assert.deepEqual(await of('nel_reports'), [])
    const unknown = await house.ask('GET', '/datasets/nonsense/jobs')
    assert.deepEqual([unknown.status, errorsOf(unknown)[0]?.[0]], [400, 1002])
  })

  test('an unknown job, one of another tenant and one of the account all answer alike', async () => {
    const tenant = await house.newTenant('strangers')
    const theirs = await house.make(newConf(), {}, { zone: tenant.zone })
    const own = await house.make(newConf(), { dataset: 'audit_logs' }, house.accountScope)
    const [unknown, ...others] = await Promise.all(
      [999_999_999, theirs.id, own.id].flatMap((id) => [
        house.ask('GET', `/jobs/${id}`),
        house.ask('PUT', `/jobs/${id}`, { enabled: true }),
        house.ask('DELETE', `/jobs/${id}`),
        house.ask('GET', `/jobs/${id}/signing`),
        house.ask('POST', `/jobs/${id}/signing/rotate`),
      ]),
    )
    const shape = (answer: Answer | undefined) => [
      answer?.status,
      answer?.body.errors.map(({ code, message }) => [code, message.replace(/\d+/, 'n')]),
    ]
    assert.deepEqual(shape(unknown), [404, [[1008, 'job not found: n']]])
    for (const other of others) assert.deepEqual(shape(other), shape(unknown))
    assert.equal(
      (await house.ask('GET', `/jobs/${theirs.id}`, undefined, { scope: { zone: tenant.zone } })).status,
      200,
    )
  })

  test('an id that is no plain number names nothing', async () => {
    const { id } = await house.make(newConf())
    const wrong = ['0', '-1', 'abc', `0${id}`, `+${id}`, `%20${id}`, `${id}.0`, `${id}e0`, `0x${id.toString(16)}`]
    for (const text of [...wrong, '1e400', '9'.repeat(20), '9007199254740993', 'NaN', `${id};x`, 'null']) {
      for (const method of ['GET', 'DELETE']) {
        const answer = await house.ask(method, `/jobs/${text}`)
        assert.deepEqual([answer.status, answer.body.errors[0]?.code], [404, 7003], text)
      }
    }
    assert.equal((await house.ask('GET', `/jobs/${id}`)).status, 200)
  })

  test('a tenant reaches no other tenant by any path', async () => {
    const tenant = await house.newTenant('outsiders')
    const { id } = await house.make(newConf())
    for (const scope of [house.zoneScope, house.accountScope]) {
      for (const [method, path] of [
        ['GET', '/jobs'],
        ['GET', `/jobs/${id}`],
        ['PUT', `/jobs/${id}`],
        ['DELETE', `/jobs/${id}`],
        ['POST', '/ownership'],
        ['POST', '/validate/destination/exists'],
      ] as const) {
        const { status } = await house.ask(method, path, undefined, { scope, credential: tenant.credential })
        assert.equal(status, 404, `${method} ${path}`)
      }
    }
  })

  test('who may only read sees the destination masked, and changes nothing', async () => {
    const scope = house.zoneScope
    const conf = 'https://receiver.example.com/in?header_Authorization=Bearer%20hush&key=hush'
    const created = await house.ask('POST', '/jobs', { destination_conf: conf }, { word: 'logpush' })
    assert.equal(created.status, 201, JSON.stringify(created.body))
    const { id } = jobOf(created)
    const credential = await house.tokenWith('logs:read')
    const reader = house.as(credential)
    const masked = 'https://receiver.example.com/in?header_Authorization=****&key=****'
    const read = await reader.call(logexport.viewJob, { scope, params: { job_id: id } })
    assert.equal(read.destination_conf, masked)
    const listed = await reader.call(logexport.listJobs, { scope })
    assert.equal(listed.find((job) => job.id === id)?.destination_conf, masked)
    const editor = house.as(await house.tokenWith('logs:edit'))
    assert.equal((await editor.call(logexport.viewJob, { scope, params: { job_id: id } })).destination_conf, conf)
    for (const [method, path] of [
      ['POST', '/jobs'],
      ['PUT', `/jobs/${id}`],
      ['DELETE', `/jobs/${id}`],
      ['GET', `/jobs/${id}/signing`],
      ['POST', `/jobs/${id}/signing/rotate`],
      ['POST', '/ownership'],
      ['POST', '/ownership/validate'],
      ['POST', '/validate/destination'],
      ['POST', '/validate/destination/exists'],
    ] as const)
      assert.equal(
        (await house.ask(method, path, method === 'GET' ? undefined : {}, { credential })).status,
        403,
        `${method} ${path}`,
      )
  })
})

describe('changing a job', () => {
  const update = (job: Job, body: unknown, headers = {}) => house.ask('PUT', `/jobs/${job.id}`, body, { headers })

  test('fields that are left out stay, and output options are replaced whole', async () => {
    const job = await house.make(newConf(), {
      name: 'before',
      output_options: { field_names: ['RayID'], timestamp_format: 'rfc3339' },
      max_upload_records: 1000,
    })
    assert.deepEqual(jobOf(await update(job, { enabled: true })), { ...job, enabled: true })
    assert.deepEqual(jobOf(await update(job, {})), { ...job, enabled: true })
    const output_options = { field_names: ['ClientIP'] }
    assert.deepEqual(jobOf(await update(job, { output_options })), { ...job, enabled: true, output_options })
    const cleared = jobOf(await update(job, { output_options: null, name: null, max_upload_records: null }))
    assert.deepEqual([cleared.output_options, cleared.name, cleared.max_upload_records], [null, '', null])
  })

  test('an empty text clears the filter', async () => {
    const filter = '{"where":{"key":"ClientCountry","operator":"eq","value":"nz"}}'
    const job = await house.make(newConf(), { filter })
    assert.equal(jobOf(await update(job, { filter: '' })).filter, '')
    assert.equal(jobOf(await update(job, { filter })).filter, filter)
    assert.equal(jobOf(await update(job, { filter: null })).filter, '')
  })

  test('dataset and kind are fixed, though they may be repeated', async () => {
    const job = await house.make(newConf())
    assert.equal((await update(job, { dataset: 'http_requests', kind: '' })).status, 200)
    assert.deepEqual(pointersOf(await update(job, { dataset: 'dns_logs' })), ['/dataset'])
    assert.deepEqual(pointersOf(await update(job, { kind: 'edge' })), ['/kind'])
    assert.equal((await update(job, { kind: 'edge' })).status, 400)
  })

  test('what the service notes cannot be written', async () => {
    const job = await house.make(newConf())
    for (const field of ['id', 'last_complete', 'last_error', 'error_message', 'created_on'])
      assert.deepEqual(pointersOf(await update(job, { [field]: null })), [`/${field}`])
  })

  test('a new destination needs its own proof, the same string none', async () => {
    const job = await house.make(newConf())
    const conf = newConf()
    const wrong = [[1002, '/ownership_challenge', 'incorrect ownership challenge']]
    assert.equal((await update(job, { destination_conf: job.destination_conf })).status, 200)
    assert.deepEqual(errorsOf(await update(job, { destination_conf: conf })), wrong)
    assert.deepEqual(errorsOf(await update(job, { destination_conf: `${job.destination_conf}/` })), wrong)
    const old = await house.prove(job.destination_conf)
    assert.deepEqual(errorsOf(await update(job, { destination_conf: conf, ownership_challenge: old })), wrong)
    const proof = { destination_conf: conf, ownership_challenge: await house.prove(conf) }
    assert.equal(jobOf(await update(job, proof)).destination_conf, conf)
    assert.equal((await house.make(job.destination_conf)).destination_conf, job.destination_conf, 'the old one is free')
  })

  test('a destination of another job is refused, and nothing is changed', async () => {
    const [job, other] = [await house.make(newConf()), await house.make(newConf())]
    const conf = `${other.destination_conf}/`
    const body = { destination_conf: conf, ownership_challenge: await house.prove(conf), name: 'changed' }
    const answer = await update(job, body)
    assert.deepEqual([answer.status, pointersOf(answer)], [400, ['/destination_conf']])
    assert.deepEqual(jobOf(await house.ask('GET', `/jobs/${job.id}`)), job)
    assert.equal((await house.auditOf(job.id)).length, 1)
  })

  test('the console drops the redaction option, the API keeps it, and the audit log says who acted', async () => {
    const ui = { 'x-spillway-interface': 'UI' }
    const bare = 'fields=RayID&CVE-2021-44228=true'
    const url = 'https://host/logs?CVE-2021-44228=true&fields=RayID'
    const job = await house.make(newConf(), { logfetch_options: bare })
    assert.equal(job.logfetch_options, bare)
    assert.equal(jobOf(await update(job, { name: 'by-api' })).logfetch_options, bare)
    assert.equal(jobOf(await update(job, { name: 'by-console' }, ui)).logfetch_options, 'fields=RayID')
    assert.equal(jobOf(await update(job, { logfetch_options: url })).logfetch_options, url)
    assert.equal(
      jobOf(await update(job, { logfetch_options: url }, ui)).logfetch_options,
      'https://host/logs?fields=RayID',
    )
    const output_options = { field_names: ['RayID'], 'CVE-2021-44228': true }
    assert.deepEqual(jobOf(await update(job, { output_options })).output_options, output_options)
    assert.deepEqual(jobOf(await update(job, { enabled: true }, ui)).output_options, { field_names: ['RayID'] })
    const entries = await house.auditOf(job.id)
    assert.deepEqual(
      entries.map((entry) => entry.interface),
      ['API', 'API', 'UI', 'API', 'UI', 'API', 'UI'],
    )
  })

  test('the console cannot set the redaction option when it makes a job either', async () => {
    const conf = newConf()
    const body = {
      destination_conf: conf,
      ownership_challenge: await house.prove(conf),
      logfetch_options: 'CVE-2021-44228=true&sample=0.5',
    }
    const created = await house.ask('POST', '/jobs', body, { headers: { 'x-spillway-interface': 'UI' } })
    assert.equal(jobOf(created).logfetch_options, 'sample=0.5')
  })
})

describe('signing secrets of an HTTPS receiver', () => {
  const conf = (path: string) => `https://receiver.example.com/${path}?header_X-Key=one`
  const create = async (destination: string) =>
    jobOf(await house.ask('POST', '/jobs', { destination_conf: destination }, { word: 'logpush' }))
  const secretsOf = ({ body }: Answer) => (body.result as { secrets: string[] }).secrets

  test('are read and rotated by the owner: the new one first, the one before it until the next rotation', async () => {
    const job = await create(conf('rotated'))
    const [first, ...none] = secretsOf(await house.ask('GET', `/jobs/${job.id}/signing`))
    assert.match(first ?? '', /^whsec_[A-Za-z0-9+/]{32}$/)
    assert.deepEqual(none, [])
    const [second, kept] = secretsOf(await house.ask('POST', `/jobs/${job.id}/signing/rotate`))
    assert.equal(kept, first)
    const third = secretsOf(await house.ask('POST', `/jobs/${job.id}/signing/rotate`))
    assert.equal(third[1], second)
    assert.ok(!third.includes(first ?? ''))
    assert.deepEqual(secretsOf(await house.ask('GET', `/jobs/${job.id}/signing`)), third)
    const entries = await house.auditOf(job.id)
    assert.deepEqual(
      entries.map(({ action }) => action.type),
      ['create', 'update', 'update'],
    )
    for (const secret of [first, second, ...third]) assert.ok(!JSON.stringify(entries).includes(secret ?? ''))
  })

  test('stay when the receiver moves or gets a new key, and end with the kind', async () => {
    const job = await create(conf('moving'))
    const before = secretsOf(await house.ask('GET', `/jobs/${job.id}/signing`))
    await house.ask('PUT', `/jobs/${job.id}`, { destination_conf: conf('moved') }, { word: 'logpush' })
    assert.deepEqual(secretsOf(await house.ask('GET', `/jobs/${job.id}/signing`)), before)
    const file = newConf()
    await house.ask('PUT', `/jobs/${job.id}`, { destination_conf: file, ownership_challenge: await house.prove(file) })
    assert.deepEqual(secretsOf(await house.ask('GET', `/jobs/${job.id}/signing`)), [])
    const refused = await house.ask('POST', `/jobs/${job.id}/signing/rotate`)
    assert.equal(refused.status, 400)
    assert.match(refused.body.errors[0]?.message ?? '', /kind file are not signed/)
  })
})
