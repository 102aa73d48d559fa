/** The spec's part A read aloud, as far as it is about control: one test for each numbered rule, in the spec's order. */
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Answer, type Job, type JobHouse, startJobHouse } from './job-house.ts'

let house: JobHouse
before(async () => {
  house = await startJobHouse()
})
after(() => house.stop())

const resultOf = <T>({ body }: Answer) => body.result as T
const post = (path: string, body: unknown) => house.ask('POST', path, body)
const exists = async (conf: string) =>
  resultOf<{ exists: boolean }>(await post('/validate/destination/exists', { destination_conf: conf }))
const origin = async (logfetch_options: string, dataset = 'http_requests') =>
  resultOf<{ valid: boolean; message: string }>(await post('/validate/origin', { logfetch_options, dataset }))

describe('what the service does', () => {
  test('2. it writes a challenge file to the destination, and the token in it makes the job', async () => {
    const conf = 'file:///spec/two/{DATE}'
    const answer = await post('/ownership', { destination_conf: conf })
    const { valid, message, filename } = resultOf<{ valid: boolean; message: string; filename: string }>(answer)
    assert.deepEqual([answer.status, valid, message], [200, true, ''])
    const today = new Date().toISOString().slice(0, 10).replaceAll('-', '')
    assert.equal(filename.startsWith(`spec/two/${today}/`), true, filename)
    const token = (await readFile(join(house.fileRoot, filename), 'utf8')).trim()
    const created = await post('/jobs', { destination_conf: conf, ownership_challenge: token })
    assert.equal(created.status, 201)
  })

  test('3. the options of a job are set through a single string, which comes back as it was sent', async () => {
    const logfetch_options = 'fields=ClientIP%2CRayID&sample=0.10&timestamps=rfc3339&CVE-2021-44228=true'
    const job = await house.make('file:///spec/three', { logfetch_options })
    assert.equal(job.logfetch_options, logfetch_options)
  })

  test('4. it tells whether a destination is in use and whether options are valid', async () => {
    assert.deepEqual(await exists('file:///spec/four'), { exists: false })
    assert.deepEqual(await origin('fields=ClientIP'), { valid: true, message: '' })
  })

  test('5. creating, updating and deleting a job are recorded', async () => {
    const { id } = await house.make('file:///spec/five')
    await house.ask('PUT', `/jobs/${id}`, { enabled: true })
    await house.ask('DELETE', `/jobs/${id}`)
    const entries = await house.auditOf(id)
    assert.deepEqual(
      entries.map(({ action, resource }) => [action.type, resource.type]),
      [
        ['create', 'logexport_job'],
        ['update', 'logexport_job'],
        ['delete', 'logexport_job'],
      ],
    )
  })

  test('7. every path exists for a zone and for an account', async () => {
    const scope = house.accountScope
    const job = await house.make('file:///spec/seven', { dataset: 'audit_logs' }, scope)
    const ask = (method: string, path: string, body?: unknown) => house.ask(method, path, body, { scope })
    assert.deepEqual(resultOf(await ask('GET', '/jobs')), [job])
    assert.deepEqual(resultOf(await ask('GET', `/jobs/${job.id}`)), job)
    assert.deepEqual(resultOf(await ask('GET', '/datasets/audit_logs/jobs')), [job])
    assert.equal((await ask('GET', '/datasets/audit_logs/fields')).status, 200)
    assert.equal((await ask('GET', '/datasets/audit_logs/fields/default')).status, 200)
    const conf = { destination_conf: 'file:///spec/seven' }
    assert.deepEqual(resultOf(await ask('POST', '/validate/destination/exists', conf)), { exists: true })
    const options = { logfetch_options: '', dataset: 'audit_logs' }
    assert.deepEqual(resultOf(await ask('POST', '/validate/origin', options)), { valid: true, message: '' })
    assert.equal((await ask('PUT', `/jobs/${job.id}`, { name: 'x' })).status, 200)
    assert.deepEqual(resultOf(await ask('DELETE', `/jobs/${job.id}`)), { id: job.id })
  })
})

describe('rules for destinations', () => {
  test('1. destination_conf is required for creating a job and for the ownership and existence checks', async () => {
    for (const path of ['/jobs', '/ownership', '/validate/destination/exists', '/validate/destination']) {
      const { status, body } = await post(path, {})
      assert.equal(status, 400, path)
      assert.deepEqual(
        body.errors.map(({ code, message, source }) => [code, message, source?.pointer]),
        [[1002, 'destination_conf is required', '/destination_conf']],
        path,
      )
    }
  })

  test('2. {DATE} in the path becomes eight digits, and the job keeps the template', async () => {
    const conf = 'file:///spec/daily-{DATE}/logs'
    const job = await house.make(conf)
    assert.equal(job.destination_conf, conf)
    const folders = await readdir(join(house.fileRoot, 'spec'))
    assert.ok(folders.some((name) => /^daily-\d{8}$/.test(name)))
    assert.deepEqual(await exists(conf), { exists: true })
    const today = new Date().toISOString().slice(0, 10).replaceAll('-', '')
    assert.deepEqual(await exists(conf.replace('{DATE}', today)), { exists: false }, 'the template is compared')
  })

  test('3. at most one job writes to a destination, and another directory is another destination', async () => {
    await house.make('file:///spec/shared/one')
    await house.make('file:///spec/shared/two')
    for (const conf of ['file:///spec/shared/one', 'file:///spec/shared//one/']) {
      const answer = await post('/jobs', { destination_conf: conf, ownership_challenge: await house.prove(conf) })
      assert.equal(answer.status, 400)
      assert.match(answer.body.errors[0]?.message ?? '', /another job already writes to this destination/)
    }
  })
})

describe('options', () => {
  test('fields are names of the dataset', async () => {
    assert.equal((await origin('fields=ClientIP,RayID')).valid, true)
    const { valid, message } = await origin('fields=ClientIP,NoSuchField')
    assert.deepEqual([valid, /NoSuchField/.test(message)], [false, true])
    assert.equal((await origin('fields=ClientIP', 'dns_logs')).valid, false)
  })

  test('sample lies between 0.001 and 1, both included', async () => {
    for (const sample of ['0.001', '1', '1.0', '0.1', '.5'])
      assert.equal((await origin(`sample=${sample}`)).valid, true)
    for (const sample of ['0', '0.0009', '1.0001', '2', '-1', 'half', '', '1e-2', 'NaN'])
      assert.equal((await origin(`sample=${sample}`)).valid, false, sample)
  })

  test('timestamps are unixnano, unix or rfc3339', async () => {
    for (const format of ['unixnano', 'unix', 'rfc3339'])
      assert.equal((await origin(`timestamps=${format}`)).valid, true, format)
    for (const format of ['', 'UNIX', 'iso8601']) assert.equal((await origin(`timestamps=${format}`)).valid, false)
  })

  test('CVE-2021-44228 is true or false', async () => {
    for (const value of ['true', 'false']) assert.equal((await origin(`CVE-2021-44228=${value}`)).valid, true)
    for (const value of ['', '1', 'yes']) assert.equal((await origin(`CVE-2021-44228=${value}`)).valid, false)
  })

  test('1. options are joined with &', async () => {
    const { valid } = await origin('fields=ClientIP&sample=0.1&timestamps=unix&CVE-2021-44228=true')
    assert.equal(valid, true)
    assert.equal((await origin('fields=ClientIP;sample=0.1')).valid, false)
    assert.equal((await origin('sample=0.1&sample=0.2')).valid, false)
    assert.equal((await origin('colour=red')).valid, false)
  })

  test('2. CVE-2021-44228 is set through the API only, and saving in the user interface sets it to false', async () => {
    const job = await house.make('file:///spec/redacted', { logfetch_options: 'CVE-2021-44228=true&sample=1' })
    const saved = await house.ask(
      'PUT',
      `/jobs/${job.id}`,
      { name: 'saved' },
      { headers: { 'x-spillway-interface': 'UI' } },
    )
    assert.equal(resultOf<Job>(saved).logfetch_options, 'sample=1')
  })
})

describe('log export rules', () => {
  test('1. a job is created only after ownership is proven with the token', async () => {
    const answer = await post('/jobs', { destination_conf: 'file:///spec/unproven' })
    assert.deepEqual([answer.status, answer.body.errors[0]?.code], [400, 1002])
    assert.equal(answer.body.errors[0]?.message, 'incorrect ownership challenge')
  })

  test('2. the existence check is true when a job of anybody writes there, and false again when it is gone', async () => {
    const conf = 'file:///spec/elsewhere'
    const tenant = await house.newTenant('somebody')
    const scope = { zone: tenant.zone }
    const job = await house.make(conf, {}, scope)
    assert.deepEqual(await exists(conf), { exists: true })
    await house.ask('DELETE', `/jobs/${job.id}`, undefined, { scope })
    assert.deepEqual(await exists(conf), { exists: false })
  })

  test('3. acceptable options are valid with an empty message', async () => {
    assert.deepEqual(await origin('fields=RayID'), { valid: true, message: '' })
    assert.deepEqual(await origin(''), { valid: true, message: '' })
    const bare = await post('/validate/origin', { logfetch_options: 'fields=EdgeStartTimestamp' })
    assert.deepEqual(resultOf(bare), { valid: true, message: '' }, 'http_requests when no dataset is named')
  })
})

describe('authentication', () => {
  test('1. requests carry X-Auth-Email and X-Auth-Key', async () => {
    const url = `${house.baseUrl}/zones/${house.zone}/logexport/jobs`
    const status = async (headers: Record<string, string>) => (await fetch(url, { headers })).status
    const { email, key } = house.credential
    assert.equal(await status({ 'X-Auth-Email': email, 'X-Auth-Key': key }), 200)
    assert.equal(await status({}), 400)
    assert.equal(await status({ 'X-Auth-Email': email }), 400)
    assert.equal(await status({ 'X-Auth-Email': email, 'X-Auth-Key': '0'.repeat(37) }), 403)
  })
})

describe('errors', () => {
  test('1. every answer is in the envelope, and errors are empty on success', async () => {
    const answers = [
      await house.ask('GET', '/jobs'),
      await house.ask('GET', '/jobs/999999'),
      await post('/jobs', { destination_conf: 'nonsense' }),
      await post('/ownership', { destination_conf: 'nonsense' }),
      await house.ask('GET', '/nothing/here'),
      await house.ask('GET', '/jobs', undefined, { credential: { token: 'x'.repeat(40) } }),
    ]
    for (const { status, body } of answers) {
      assert.deepEqual(Object.keys(body).sort(), ['errors', 'messages', 'result', 'success'])
      assert.equal(body.success, status < 400)
      assert.equal(body.errors.length === 0, status < 400)
      if (status >= 400) assert.equal(body.result, null)
    }
  })

  test('2. the ownership and origin checks say no with valid: false and a message, not with an error', async () => {
    const ownership = await post('/ownership', { destination_conf: 's3://bucket' })
    const refused = resultOf<{ valid: boolean; message: string; filename: string }>(ownership)
    assert.deepEqual([ownership.status, refused.valid, refused.filename], [200, false, ''])
    assert.match(refused.message, /region is missing/)
    const judged = await post('/validate/origin', { logfetch_options: 'sample=7', dataset: 'nonsense' })
    const verdict = resultOf<{ valid: boolean; message: string }>(judged)
    assert.deepEqual([judged.status, verdict.valid], [200, false])
    assert.match(verdict.message, /'nonsense' is not a dataset of a zone/)
  })
})

describe('field lists', () => {
  test('all fields of a dataset and its default fields are told by name', async () => {
    const all = resultOf<Record<string, string>>(await house.ask('GET', '/datasets/http_requests/fields'))
    const some = resultOf<Record<string, string>>(await house.ask('GET', '/datasets/http_requests/fields/default'))
    assert.match(all.ClientIP ?? '', /^string; /)
    assert.ok(Object.keys(some).length > 0)
    for (const [name, says] of Object.entries(some)) assert.equal(all[name], says)
    assert.ok(Object.keys(all).length > Object.keys(some).length)
    assert.equal((await house.ask('GET', '/datasets/nonsense/fields')).status, 400)
  })
})
