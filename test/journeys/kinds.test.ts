/** The whole life of a job, once for each kind, at an endpoint that checks what it is sent as the provider would. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { logexport, Refused } from '../../src/contract/index.ts'
import { type JobHouse, startJobHouse } from './job-house.ts'
import { type Places, startPlaces } from './places.ts'

const names = [
  'A (s3)',
  'A with keys (s3-compatible)',
  'B (gs)',
  'C (azure)',
  'D (datadog)',
  'E (New Relic)',
  'F (splunk)',
  'G (sumo)',
  'generic https',
  'file',
]

let house: JobHouse
let started: Places
before(async () => {
  started = await startPlaces(() => house.fileRoot)
  house = await startJobHouse({ network: started.network })
})
after(async () => {
  await house?.stop()
  await started?.stop()
})

describe('the life of a job', () => {
  test('every kind is walked', () => {
    assert.deepEqual(
      started.places.map(({ name }) => name),
      names,
    )
  })

  for (const name of names) {
    test(`${name}: challenge, token, job, list, read, update, exists, refusal, delete, and five audit entries`, async () => {
      const place = started.places.find((one) => one.name === name) ?? assert.fail()
      const scope = house.zoneScope
      const { client } = house
      const conf = await place.conf('journey')
      const body = { destination_conf: conf }
      const exists = async () => (await client.call(logexport.destinationExists, { scope, body })).exists

      assert.equal(await exists(), false)
      assert.deepEqual(await client.call(logexport.checkDestination, { scope, body }), { valid: true, message: '' })
      const challenge = await client.call(logexport.issueChallenge, { scope, body })
      assert.deepEqual([challenge.valid, challenge.message], [true, ''])
      assert.match(challenge.filename, /(^|\/)ownership-challenge-[0-9a-f]{8}\.txt$/)
      const token = await place.token(challenge.filename, 'journey')
      const proof = { ...body, ownership_challenge: token }
      assert.deepEqual(await client.call(logexport.validateChallenge, { scope, body: proof }), { valid: true })

      const created = await house.ask('POST', '/jobs', { ...proof, name: 'example.com' })
      assert.equal(created.status, 201, JSON.stringify(created.body))
      const job = created.body.result as { id: number }
      const params = { job_id: job.id }
      assert.deepEqual(job, {
        id: job.id,
        dataset: 'http_requests',
        name: 'example.com',
        enabled: false,
        kind: '',
        destination_conf: conf,
        logfetch_options: null,
        output_options: null,
        filter: '',
        frequency: 'high',
        max_upload_bytes: null,
        max_upload_records: null,
        max_upload_interval_seconds: null,
        last_complete: null,
        last_error: null,
        error_message: null,
      })
      const listed = await client.call(logexport.listJobs, { scope })
      assert.deepEqual(
        listed.filter(({ id }) => id === job.id),
        [job],
      )
      assert.deepEqual(await client.call(logexport.viewJob, { scope, params }), job)
      assert.equal(await exists(), true)
      await assert.rejects(
        client.call(logexport.createJob, { scope, body: proof }),
        (error) => error instanceof Refused && error.status === 400 && /already writes/.test(error.message),
      )

      const options = 'fields=RayID,ClientIP&timestamps=rfc3339'
      await client.call(logexport.updateJob, { scope, params, body: { name: 'renamed' } })
      await client.call(logexport.updateJob, { scope, params, body: { logfetch_options: options } })
      const last = await client.call(logexport.updateJob, { scope, params, body: { max_upload_records: 1000 } })
      assert.deepEqual(last, { ...job, name: 'renamed', logfetch_options: options, max_upload_records: 1000 })

      assert.deepEqual(await client.call(logexport.deleteJob, { scope, params }), { id: job.id })
      assert.equal(await exists(), false)
      assert.equal((await house.ask('GET', `/jobs/${job.id}`)).status, 404)

      const entries = await house.auditOf(job.id)
      assert.deepEqual(
        entries.map(({ action }) => action.type),
        ['create', 'update', 'update', 'update', 'delete'],
      )
      const [create, ...updates] = entries.map(({ oldValue, newValue }) => ({
        old: oldValue === '' ? null : JSON.parse(oldValue),
        new: newValue === '' ? null : JSON.parse(newValue),
      }))
      assert.deepEqual([create?.old, create?.new.name], [null, 'example.com'])
      assert.deepEqual([updates[0]?.old.name, updates[0]?.new.name], ['example.com', 'renamed'])
      assert.deepEqual([updates[1]?.old.logfetch_options, updates[1]?.new.logfetch_options], [null, options])
      assert.deepEqual([updates[2]?.old.max_upload_records, updates[2]?.new.max_upload_records], [null, 1000])
      assert.deepEqual([updates[3]?.old.name, updates[3]?.new], ['renamed', null])
      for (const secret of place.secrets('journey')) assert.ok(!JSON.stringify(entries).includes(secret), secret)
    })
  }
})

describe('one job to a destination', () => {
  async function create(conf: string, letter: string) {
    const place = started.places.find(({ name }) => name.startsWith(letter)) ?? assert.fail()
    const scope = house.zoneScope
    const body = { destination_conf: conf }
    const { filename } = await house.client.call(logexport.issueChallenge, { scope, body })
    return house.ask('POST', '/jobs', { ...body, ownership_challenge: await place.token(filename, '') })
  }

  test('two jobs share a bucket when their directories differ', async () => {
    for (const conf of ['s3://tenant-logs/one?region=us-east-1', 's3://tenant-logs/two?region=us-east-1'])
      assert.equal((await create(conf, 'A')).status, 201, conf)
    for (const conf of ['gs://tenant-logs/one', 'gs://tenant-logs/one/{DATE}', 'gs://tenant-logs'])
      assert.equal((await create(conf, 'B')).status, 201, conf)
  })

  test('the same directory with another region, another encryption, more slashes or other letters in the bucket is refused', async () => {
    const same: readonly (readonly [string, string])[] = [
      ['A', 's3://tenant-logs/one?region=eu-west-1'],
      ['A', 's3://tenant-logs/one?region=us-east-1&sse=AES256'],
      ['A', 's3://tenant-logs/one/?region=us-east-1'],
      ['A', 's3://tenant-logs//one?region=us-east-1'],
      ['A', 's3://TENANT-LOGS/one?region=us-east-1'],
      ['A', 'S3://tenant-logs/%6Fne//?region=ap-southeast-2'],
      ['B', 'gs://tenant-logs/one/'],
      ['B', 'gs://tenant-logs//one'],
      ['B', 'gs://tenant-logs/one/%7BDATE%7D'],
      ['B', 'gs://tenant-logs/'],
    ]
    for (const [letter, conf] of same) {
      const { status, body } = await create(conf, letter)
      assert.equal(status, 400, conf)
      assert.deepEqual(
        body.errors.map(({ code, source }) => [code, source?.pointer]),
        [[1002, '/destination_conf']],
      )
      const found = await house.client.call(logexport.destinationExists, {
        scope: house.zoneScope,
        body: { destination_conf: conf },
      })
      assert.deepEqual(found, { exists: true }, conf)
    }
    assert.equal((await create('s3://tenant-logs/One?region=us-east-1', 'A')).status, 201, 'case matters in a key')
  })
})
