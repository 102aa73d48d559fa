/** After every kind was used, changed, refused and deleted: no log line, metric, audit entry or byte of the database tells a secret. */
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { audit, logexport, Refused } from '../../src/contract/index.ts'
import { startReceiver } from '../endpoints/index.ts'
import { type JobHouse, startJobHouse } from './job-house.ts'
import { type Places, startPlaces } from './places.ts'

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

/** Every spelling a secret might be found in. */
const spellings = (secret: string): readonly string[] => [
  secret,
  encodeURIComponent(secret),
  JSON.stringify(secret).slice(1, -1),
  Buffer.from(secret).toString('base64').replace(/=+$/, '').slice(0, -1),
  Buffer.from(secret).toString('hex'),
]

function assertSilent(where: string, text: string, secrets: readonly string[]): void {
  for (const secret of secrets) {
    for (const spelling of spellings(secret)) {
      assert.ok(!text.includes(spelling), `${where} tells ${JSON.stringify(spelling)}`)
    }
  }
}

test('a full journey through every kind leaves no secret anywhere', async () => {
  const { client, zoneScope: scope } = house
  const reader = house.as(await house.tokenWith('logs:read'))
  const planted: string[] = []
  const seenByReader: string[] = []
  const refusals: string[] = []

  const refuse = (work: Promise<unknown>) =>
    assert.rejects(work, (error) => {
      assert.ok(error instanceof Refused)
      refusals.push(JSON.stringify(error.errors))
      return true
    })

  for (const place of started.places) {
    const prove = async (part: string) => {
      const body = { destination_conf: await place.conf(part) }
      planted.push(...place.secrets(part))
      const { filename } = await client.call(logexport.issueChallenge, { scope, body })
      const token = await place.token(filename, part)
      planted.push(token)
      return { ...body, ownership_challenge: token }
    }
    const proof = await prove('first')
    const moved = await prove('second')
    const { id } = await client.call(logexport.createJob, { scope, body: proof })
    const params = { job_id: id }
    const read = await reader.call(logexport.viewJob, { scope, params })
    seenByReader.push(JSON.stringify([read, await reader.call(logexport.listJobs, { scope })]))
    await refuse(client.call(logexport.createJob, { scope, body: proof }))
    await refuse(client.call(logexport.updateJob, { scope, params, body: { ...moved, ownership_challenge: 'wrong' } }))
    await client.call(logexport.updateJob, { scope, params, body: moved })
    await refuse(client.call(logexport.createJob, { scope, body: { ...proof, logfetch_options: 'fields=Nope' } }))
    planted.push(...(await client.call(logexport.viewSigning, { scope, params })).secrets)
    if (place.name === 'generic https') {
      planted.push(...(await client.call(logexport.rotateSigning, { scope, params })).secrets)
      await refuse(reader.call(logexport.viewSigning, { scope, params }))
    }
    // The first one stays, so that the database file is searched with a job in it.
    if (place.name !== 'D (datadog)') await client.call(logexport.deleteJob, { scope, params })
  }
  const quoting = await startReceiver('https')
  quoting.misbehave({ status: 403, body: 'unknown key quoted-secret-value' })
  planted.push('quoted-secret-value')
  const conf = `https://${quoting.host}/in?header_X-Key=quoted-secret-value`
  const said = await client.call(logexport.issueChallenge, { scope, body: { destination_conf: conf } })
  await quoting.stop()

  const secrets = [...new Set(planted)]
  assert.ok(secrets.length >= 35, `only ${secrets.length} secrets were planted`)
  const metrics = await (await fetch(`${house.service.url}/metrics`)).text()
  const entries = await Array.fromAsync(client.all(audit.listAccountAudit, { scope: house.accountScope }))
  assert.ok(entries.filter(({ resource }) => resource.type === 'logexport_job').length >= 30)
  assertSilent('an answer to who may only read', seenByReader.join('\n'), secrets)
  assertSilent('a refusal', refusals.join('\n'), secrets)
  assertSilent('a reason', said.message, secrets)
  assertSilent('the log', house.logLines.join('\n'), secrets)
  assertSilent('the metrics page', metrics, secrets)
  assertSilent('the audit log', JSON.stringify(entries), secrets)
  const files = (await readdir(house.data)).filter((name) => name.startsWith('spillway.db'))
  assert.ok(files.includes('spillway.db-wal'), files.join())
  for (const name of files) assertSilent(name, await readFile(join(house.data, name), 'latin1'), secrets)
})

test('the search finds what is there', () => {
  for (const spelling of spellings('a+b/c d"e'))
    assert.throws(() => assertSilent('the log', `x${spelling}x`, ['a+b/c d"e']))
})
