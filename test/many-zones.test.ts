/** Where there are thousands of zones, what is asked for one of them reads no table from end to end. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type KyselyPlugin, sql } from 'kysely'
import { createZone, deleteZone, findScope, listZones, makeFirstTenant, theService } from '../src/access/index.ts'
import { makeLog, makeMetrics, systemClock } from '../src/base/index.ts'
import { migrate, openDatabase } from '../src/db/index.ts'
import { makeDeployments } from '../src/edge/deployments.ts'
import { jobStatus, listStatuses } from '../src/jobs/index.ts'
import * as rulesets from '../src/rulesets/index.ts'

const directory = await mkdtemp(join(tmpdir(), 'spillway-zones-'))
const database = openDatabase({ directory })
await migrate(database.db)
after(async () => {
  await database.close()
  await rm(directory, { recursive: true, force: true })
})

const asked = new Set<string>()
const listening: KyselyPlugin = {
  transformQuery({ node, queryId }) {
    asked.add(database.db.getExecutor().compileQuery(node, queryId).sql)
    return node
  },
  transformResult: async ({ result }) => result,
}

test('nothing that is asked for one zone or one account reads all rulesets, versions, zones or jobs', async () => {
  const plain = { db: database.db, now: systemClock }
  const tenant = await makeFirstTenant(plain, async () => {})
  await rulesets.provideCommonProtection(plain, theService)
  const needs = { db: database.db.withPlugin(listening), now: systemClock }
  const account = await findScope(needs, theService, 'account', tenant?.account_id ?? '')
  const zone = await createZone(needs, theService, { name: 'one.example', account: { id: account.id } })
  const scope = await findScope(needs, theService, 'zone', zone.id)
  const phase = 'http_request_firewall_custom'

  await rulesets.put(needs, theService, scope, { phase }, { rules: [{ action: 'block', expression: 'true' }] }, {})
  await rulesets.view(needs, scope, { phase })
  for (const place of [scope, account]) {
    await rulesets.versions(needs, place, { phase })
    await rulesets.list(needs, place, {})
    await rulesets.list(needs, place, { perPage: 5 })
    await listStatuses(needs, place)
    await assert.rejects(jobStatus(needs, place, 1))
  }
  const { rules } = await rulesets
    .loadDeployed(needs.db, scope)
    .then(({ zone: entries }) => entries[0] ?? assert.fail())
  assert.equal(rules.length, 1)
  const log = makeLog('error', { write: () => {} })
  await makeDeployments({ ...needs, log, metrics: makeMetrics() }).of(scope)
  assert.equal((await listZones(needs, theService, { name: 'one.example', page: 1, per_page: 20 })).items.length, 1)
  await deleteZone(needs, theService, scope)

  const scans: string[] = []
  for (const text of [...asked].filter((each) => /^(select|update|delete)/.test(each))) {
    const { rows } = await sql<{ detail: string }>`explain query plan ${sql.raw(text)}`.execute(database.db)
    if (rows.some(({ detail }) => /^SCAN (rulesets|ruleset_versions|zones|jobs|windows|deliveries)\b/.test(detail)))
      scans.push(text)
  }
  assert.ok(asked.size > 20)
  assert.deepEqual(scans, [])
})
