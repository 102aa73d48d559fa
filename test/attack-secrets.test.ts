import assert from 'node:assert/strict'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import pg from 'pg'
import { access, logexport } from '../src/contract/index.ts'
import { type House, startHouse } from './house.ts'
import { freshPostgres } from './postgres.ts'
import { watchSecrets } from './secrets-scan.ts'

describe('when a house stops', () => {
  /** A house through which every kind of secret has passed; given back with each of them. */
  async function aHouseWithSecrets(): Promise<{ house: House; secrets: Record<string, string> }> {
    const house = await startHouse({
      environment: { SPILLWAY_OWNERSHIP: 'storage' },
    })
    const { client, accountScope: scope, zoneScope } = house
    const token = await client.call(access.createToken, { scope, body: { name: 'a', permissions: ['logs:read'] } })
    const member = await client.call(access.addMember, { scope, body: { email: 'a@b.test', role: 'read only' } })
    const conf = 'https://receiver.invalid/in?header_Authorization=Bearer%20planted+in/the=conf'
    const job = await client.call(logexport.createJob, {
      scope: zoneScope,
      body: { destination_conf: conf, enabled: false },
    })
    const signing = await client.call(logexport.viewSigning, { scope: zoneScope, params: { job_id: job.id } })
    const secrets = {
      'the key of the first user': house.credential.key,
      'a token': token.value ?? '',
      'the key of a member': member.api_key ?? '',
      'the credential of a destination': 'Bearer planted in/the=conf',
      'what a job signs with': signing.secrets[0] ?? '',
    }
    return { house, secrets }
  }

  test('secrets that stayed where they belong are no fault', async () => {
    const { house } = await aHouseWithSecrets()
    await house.stop()
  })

  test('each of them in a file of the data directory fails its test, however it is spelt', async () => {
    const { house, secrets } = await aHouseWithSecrets()
    for (const [at, [name, secret]] of Object.entries(secrets).entries()) {
      assert.ok(secret.length >= 16, name)
      const spelling = (['hex', 'latin1', 'base64'] as const)[at % 3]
      await appendFile(join(house.data, `planted-${at}`), Buffer.from(secret).toString(spelling))
    }
    await assert.rejects(house.stop(), ({ message }: Error) =>
      Object.keys(secrets).every((_, at) => message.includes(`planted-${at}`)),
    )
  })

  test('a secret in a log line fails its test, and is not told again', async () => {
    const { house, secrets } = await aHouseWithSecrets()
    const token = secrets['a token'] ?? ''
    ;(house.logLines as string[]).push(`{"path":"/x?token=${encodeURIComponent(token)}"}\n`)
    await assert.rejects(
      house.stop(),
      (error: Error) => /… in the log$/.test(error.message) && !error.message.includes(token),
    )
  })

  test('a secret in a table of PostgreSQL is found', async () => {
    const { url, drop } = await freshPostgres()
    const watch = watchSecrets()
    watch.remember('a secret that was planted')
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query('create table told (what text)')
    const places = { logLines: [], data: '/nowhere', databaseUrl: url }
    await watch.search(places)
    await client.query("insert into told values ('it is a secret that was planted, is it not')")
    await client.end()
    await assert.rejects(watch.search(places), /a se… in the table told/)
    await drop()
  })
})
