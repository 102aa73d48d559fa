/** Lists through the API: made, filled, used by an expression at once, and kept while a rule needs them. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { access, audit, lists, Refused, rulesets } from '../src/contract/index.ts'
import { type House, startHouse } from './house.ts'

let house: House
before(async () => {
  house = await startHouse()
})
after(() => house.stop())

const make = (name: string, kind: string) =>
  house.client.call(lists.createList, { scope: house.accountScope, body: { name, kind } as never })

const refused = async (work: Promise<unknown>) =>
  work.then(
    () => assert.fail('it was not refused'),
    (error: unknown) => {
      assert.ok(error instanceof Refused, String(error))
      return error
    },
  )

test('a list can be named by an expression as soon as it is there, and not deleted while it is', async () => {
  const scope = house.zoneScope
  const params = { phase: 'http_request_firewall_custom' }
  const body = { rules: [{ action: 'block', expression: 'not ip.src in $office' }] }
  const early = await refused(house.client.call(rulesets.updateEntryPoint, { scope, params, body }))
  assert.equal(early.errors[0]?.source?.pointer, '/rules/0/expression')
  const office = await make('office', 'ip')
  const deployed = await house.client.call(rulesets.updateEntryPoint, { scope, params, body })
  const inUse = await refused(
    house.client.call(lists.deleteList, { scope: house.accountScope, params: { list_id: office.id } }),
  )
  assert.equal(inUse.status, 400)
  assert.ok(inUse.message.includes(deployed!.id))
  await house.client.call(rulesets.updateEntryPoint, { scope, params, body: { rules: [] } })
  await house.client.call(lists.deleteList, { scope: house.accountScope, params: { list_id: office.id } })
})

test('items are added, paged, searched, replaced and removed, and every change is a version with its difference', async () => {
  const { id } = await make('blocks', 'ip')
  const call = { scope: house.accountScope, params: { list_id: id } }
  const items = [
    { ip: '198.51.100.7', comment: 'one' },
    { ip: '192.0.2.0/24' },
    { ip: '2001:DB8::/32' },
    { ip: '192.0.2.0/24' },
  ]
  const filled = await house.client.call(lists.addItems, { ...call, body: items })
  assert.deepEqual([filled.num_items, filled.version], [3, '2'])
  const all = await Array.fromAsync(house.client.all(lists.listItems, { ...call, query: { per_page: 2 } }))
  assert.deepEqual(
    all.map((item) => item.ip),
    ['192.0.2.0/24', '198.51.100.7', '2001:db8::/32'],
  )
  const found = await house.client.call(lists.listItems, { ...call, query: { search: '198.' } })
  assert.deepEqual(
    found.map((item) => [item.ip, item.comment]),
    [['198.51.100.7', 'one']],
  )
  const fewer = await house.client.call(lists.removeItems, { ...call, body: { items: [{ id: all[0]!.id }] } })
  assert.deepEqual([fewer.num_items, fewer.version], [2, '3'])
  const replaced = await house.client.call(lists.replaceItems, { ...call, body: [{ ip: '203.0.113.9' }] })
  assert.deepEqual([replaced.num_items, replaced.version], [1, '4'])
  const [entry] = await house.client.call(audit.listAccountAudit, { scope: house.accountScope, query: { per_page: 1 } })
  assert.deepEqual(JSON.parse(String(entry?.oldValue)), { removed: ['198.51.100.7', '2001:db8::/32'] })
  assert.deepEqual(JSON.parse(String(entry?.newValue)), { added: ['203.0.113.9'] })
})

test('items of the wrong kind or shape are refused with their place', async () => {
  const wrong: [string, unknown, string][] = [
    ['ip', [{ ip: '192.0.2.1/24' }], '/0/ip'],
    ['ip', [{ ip: '1.2.3.4' }, { ip: 'nonsense' }], '/1/ip'],
    ['ip', [{ hostname: 'example.com' }], '/0/hostname'],
    ['ip', { ip: '192.0.2.1' }, ''],
    ['ip', [], ''],
    ['asn', [{ asn: '64500' }], '/0/asn'],
    ['asn', [{ asn: -1 }], '/0/asn'],
    ['hostname', [{ hostname: 'https://example.com' }], '/0/hostname'],
    ['string', [{ string: '' }], '/0/string'],
    ['redirect', [{ redirect: { source_url: 'example.com/a', target_url: 'javascript:x' } }], '/0/redirect/target_url'],
  ]
  for (const [number, [kind, body, pointer]] of wrong.entries()) {
    const { id } = await make(`wrong_${number}`, kind)
    const error = await refused(
      house.client.call(lists.addItems, { scope: house.accountScope, params: { list_id: id }, body: body as never }),
    )
    assert.equal(error.status, 400)
    assert.equal(error.errors[0]?.source?.pointer ?? '', pointer, JSON.stringify(body))
  }
})

test('two lists of one name, odd names and unknown lists are refused', async () => {
  await make('twice', 'string')
  assert.equal((await refused(make('twice', 'ip'))).status, 400)
  for (const name of ['Upper', 'a-b', '', 'x'.repeat(51)]) assert.equal((await refused(make(name, 'ip'))).status, 400)
  const missing = { scope: house.accountScope, params: { list_id: 'ab'.repeat(16) } }
  assert.equal((await refused(house.client.call(lists.viewList, missing))).status, 404)
})

test('a list of one account is not there for another', async () => {
  const { id } = await make('own', 'string')
  const other = await house.client.call(access.createAccount, { body: { name: 'other' } })
  const call = { scope: { account: other.id }, params: { list_id: id } }
  assert.equal((await refused(house.client.call(lists.viewList, call))).status, 404)
  assert.equal((await refused(house.client.call(lists.addItems, { ...call, body: [{ string: 'x' }] }))).status, 404)
})
