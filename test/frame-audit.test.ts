import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { access, audit, type QueryOf } from '../src/contract/index.ts'
import { type House, startHouse } from './house.ts'

const hour = 3_600n * 1_000_000_000n

for (const database of ['sqlite', 'postgres'] as const) {
  describe(`the audit log, on ${database}`, () => {
    let house: House
    /** The moment before the second of two changes that lie an hour apart. */
    let between: string
    before(async () => {
      house = await startHouse({ database })
      const { client, accountScope: scope, account } = house
      await client.call(access.createZone, { body: { name: 'early.test', account: { id: account } } })
      house.tick(hour)
      between = new Date(Date.now() + 1_800_000).toISOString()
      const zone = await client.call(access.createZone, { body: { name: 'late.test', account: { id: account } } })
      await client.call(access.deleteZone, { scope: { zone: zone.id } })
      await client.call(access.updateAccount, { scope, body: { name: '=cmd|"calc"!A1' } })
    })
    after(() => house.stop())

    const list = async (query: Partial<QueryOf<typeof audit.listAccountAudit>>) =>
      (await house.client.call(audit.listAccountAudit, { scope: house.accountScope, query })).map((entry) =>
        `${entry.action.type} ${entry.resource.type} ${entry.metadata.zone_name ?? ''}`.trim(),
      )
    const laterOnes = ['update account', 'delete zone late.test', 'create zone late.test']

    test('newest first, oldest first when asked', async () => {
      const down = await list({})
      assert.deepEqual(down.slice(0, 4), [...laterOnes, 'create zone early.test'])
      assert.deepEqual(await list({ direction: 'asc' }), down.toReversed())
    })

    test('by action', async () => assert.deepEqual(await list({ 'action.type': 'delete' }), ['delete zone late.test']))
    test('by zone', async () =>
      assert.deepEqual(await list({ 'zone.name': 'LATE.test' }), ['delete zone late.test', 'create zone late.test']))
    test('by actor', async () => {
      assert.equal((await list({ 'actor.email': house.credential.email.toUpperCase() })).length, 4)
      assert.deepEqual(await list({ 'actor.email': 'nobody@spillway.test' }), [])
    })
    test('since and before meet without overlap', async () => {
      const [since, earlier] = [await list({ since: between }), await list({ before: between })]
      assert.deepEqual(since, laterOnes)
      assert.deepEqual([...since, ...earlier], await list({}))
      assert.deepEqual(await list({ since: '2999-01-01' }), [])
    })
    test('by address and by block', async () => {
      assert.equal((await list({ 'actor.ip': '127.0.0.1' })).length, 4)
      assert.equal((await list({ 'actor.ip': '127.0.0.0/8' })).length, 4)
      assert.equal((await list({ 'actor.ip': '10.0.0.0/8' })).length, 0)
      assert.equal((await list({ 'actor.ip': '2001:db8::/32' })).length, 0)
    })
    test('by id', async () => {
      const { client, accountScope: scope } = house
      const [first] = await client.call(audit.listAccountAudit, { scope })
      const found = await client.call(audit.listAccountAudit, { scope, query: { id: first?.id ?? '' } })
      assert.deepEqual(found, [first])
    })

    test('pages with their count', async () => {
      const { result, result_info: info } = await house.client.ask(audit.listAccountAudit, {
        scope: house.accountScope,
        query: { per_page: 2, page: 2 },
      })
      const total = (await list({})).length
      assert.equal(result.length, 2)
      assert.deepEqual(info, { page: 2, per_page: 2, count: 2, total_count: total, total_pages: Math.ceil(total / 2) })
    })

    test('an export is CSV that no spreadsheet runs', async () => {
      const answer = await house.client.open(audit.listAccountAudit, {
        scope: house.accountScope,
        query: { export: true, 'action.type': 'update' },
      })
      assert.match(answer.headers.get('content-type') ?? '', /^text\/csv/)
      const [head, row, ...rest] = (await answer.text()).split('\r\n')
      assert.match(head ?? '', /^when,actor\.email,/)
      assert.match(row ?? '', /"\{""name"":""=cmd\|/)
      assert.deepEqual(rest, [''])
    })

    test('nothing changes or deletes an entry', async () => {
      const headers = { 'x-auth-email': house.credential.email, 'x-auth-key': house.credential.key }
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        const answer = await fetch(`${house.baseUrl}/accounts/${house.account}/audit_logs`, { method, headers })
        assert.equal(answer.status, 405)
        assert.equal(answer.headers.get('allow'), 'GET')
      }
    })
    test('what a user did to itself is left out when asked', async () => {
      const { client, account } = house
      const body = { email: 'roller@spillway.test', role: 'read only' } as const
      const member = await client.call(access.addMember, { scope: { account }, body })
      const key = String(member.api_key)
      const rolled = await house.as({ email: body.email, key }).call(access.rollKey, {})
      const roller = house.as({ email: body.email, key: rolled.api_key })
      const own = await roller.call(audit.listUserAudit, {})
      assert.deepEqual(
        own.map((entry) => [entry.action.type, entry.resource.type]),
        [['update', 'user_key']],
      )
      assert.deepEqual(await roller.call(audit.listUserAudit, { query: { hide_user_logs: true } }), [])
      assert.deepEqual(await list({ hide_user_logs: true }), await list({}))
    })
  })
}
