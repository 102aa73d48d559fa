import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { access, audit, type Client, type Credential, Refused } from '../src/contract/index.ts'
import { type House, startHouse } from './house.ts'

const refused = async (work: Promise<unknown>): Promise<Refused> => {
  const error = await work.then(
    () => assert.fail('it was not refused'),
    (reason) => reason,
  )
  if (!(error instanceof Refused)) throw error
  return error
}
const codes = (error: Refused) => [error.status, ...error.errors.map((item) => item.code)]
const nobody = 'f'.repeat(32)
const day = 86_400n * 1_000_000_000n

for (const database of ['sqlite', 'postgres'] as const) {
  describe(`access, on ${database}`, () => {
    let house: House
    let admin: Client
    before(async () => {
      house = await startHouse({ database })
      admin = house.client
    })
    after(() => house.stop())

    let made = 0
    /** An account of its own with one zone, and an administrator of it. */
    async function aTenant() {
      made += 1
      const account = await admin.call(access.createAccount, { body: { name: `tenant ${made}` } })
      const scope = { account: account.id }
      const member = await admin.call(access.addMember, {
        scope,
        body: { email: `owner-${made}@tenant.test`, role: 'administrator' },
      })
      const owner = house.as({ email: member.email, key: member.api_key ?? '' })
      const zone = await owner.call(access.createZone, {
        body: { name: `site-${made}.test`, account: { id: account.id } },
      })
      return { account, scope, zone, owner, member }
    }
    const tokenOf = async (
      maker: Client,
      scope: { account: string },
      permissions: ('account:admin' | 'logs:read' | 'logs:edit' | 'rulesets:read' | 'rulesets:edit')[],
      more: { zones?: string[]; expires_on?: string } = {},
    ) => {
      const token = await maker.call(access.createToken, { scope, body: { name: 'of a test', permissions, ...more } })
      return { token, client: house.as({ token: token.value ?? '' }) }
    }

    describe('credentials are told apart', () => {
      const cases: [string, Record<string, string>, number[]][] = [
        ['none', {}, [400, 9106]],
        ['a key without an address', { 'x-auth-key': '0'.repeat(37) }, [400, 9106]],
        ['an address without a key', { 'x-auth-email': 'a@b.test' }, [400, 9107]],
        ['an address that is none', { 'x-auth-email': 'nobody', 'x-auth-key': '0'.repeat(37) }, [400, 6003, 6102]],
        ['a key that is none', { 'x-auth-email': 'a@b.test', 'x-auth-key': 'short' }, [400, 6003, 6103]],
        ['a header that is no bearer', { authorization: 'Basic YTpi' }, [400, 6003, 6111]],
        ['an empty bearer', { authorization: 'Bearer ' }, [400, 6003, 6111]],
        ['a token of the wrong shape', { authorization: 'Bearer ümlaut' }, [400, 6003, 6111]],
        ['an unknown key', { 'x-auth-email': 'a@b.test', 'x-auth-key': '0'.repeat(37) }, [403, 9103]],
        ['an unknown token', { authorization: `Bearer ${'x'.repeat(40)}` }, [403, 9109]],
      ]
      for (const [what, headers, expected] of cases) {
        test(`${what}: ${expected.join(' ')}`, async () => {
          const answer = await fetch(`${house.baseUrl}/zones`, { headers })
          const { errors } = (await answer.json()) as { errors: { code: number }[] }
          assert.deepEqual([answer.status, ...errors.map((item) => item.code)], expected)
        })
      }

      test('a known address with a wrong key answers like an unknown address', async () => {
        const wrong = house.as({ email: house.credential.email, key: '0'.repeat(37) })
        assert.deepEqual(codes(await refused(wrong.call(access.viewUser, {}))), [403, 9103])
      })

      test('the address of a key may be written in any case', async () => {
        const loud = house.as({ ...house.credential, email: house.credential.email.toUpperCase() })
        assert.equal((await loud.call(access.viewUser, {})).email, house.credential.email)
      })

      test('a right that is not held: 403 10000', async () => {
        const { scope, owner } = await aTenant()
        const { client } = await tokenOf(owner, scope, ['logs:read'])
        assert.deepEqual(codes(await refused(client.call(access.listMembers, { scope }))), [403, 10000])
      })

      test('asked to verify, a bad token is 401 1000, and a key is no token', async () => {
        const unknown = house.as({ token: 'x'.repeat(40) })
        assert.deepEqual(codes(await refused(unknown.call(access.verifyToken, {}))), [401, 1000])
        assert.deepEqual(codes(await refused(admin.call(access.verifyToken, {}))), [401, 1000])
      })
    })

    test('a token limited to one zone sees that zone and nothing else', async () => {
      const { account, scope, zone, owner } = await aTenant()
      const sister = await owner.call(access.createZone, {
        body: { name: `sister-${made}.test`, account: { id: account.id } },
      })
      const { client } = await tokenOf(owner, scope, ['account:admin', 'logs:edit'], { zones: [zone.id] })

      assert.equal((await client.call(access.viewZone, { scope: { zone: zone.id } })).name, zone.name)
      assert.deepEqual(
        (await client.call(access.listZones, {})).map((one) => one.id),
        [zone.id],
      )
      assert.deepEqual(await client.call(access.listAccounts, {}), [])
      assert.deepEqual((await client.call(access.viewUser, {})).organizations, [])
      const told = async (work: Promise<unknown>) => {
        const { status, errors } = await refused(work)
        return { status, errors }
      }
      const missingZone = await told(client.call(access.viewZone, { scope: { zone: nobody } }))
      assert.equal(missingZone.status, 404)
      for (const hidden of [sister.id, house.zone]) {
        assert.deepEqual(await told(client.call(access.viewZone, { scope: { zone: hidden } })), missingZone)
        assert.deepEqual(await told(client.call(access.deleteZone, { scope: { zone: hidden } })), missingZone)
      }
      const missingAccount = await told(client.call(access.viewAccount, { scope: { account: nobody } }))
      for (const hidden of [account.id, house.account]) {
        assert.deepEqual(await told(client.call(access.viewAccount, { scope: { account: hidden } })), missingAccount)
        assert.deepEqual(await told(client.call(access.listTokens, { scope: { account: hidden } })), missingAccount)
        assert.deepEqual(
          await told(client.call(audit.listAccountAudit, { scope: { account: hidden } })),
          missingAccount,
        )
        assert.deepEqual(
          await told(client.call(access.createZone, { body: { name: 'x.test', account: { id: hidden } } })),
          missingAccount,
        )
      }
      assert.deepEqual(codes(await refused(client.call(audit.listUserAudit, {}))), [403, 10000])
      assert.deepEqual(codes(await refused(client.call(access.deleteZone, { scope: { zone: zone.id } }))), [403, 10000])
    })

    test('a member of one account finds nothing of another', async () => {
      const [one, other] = [await aTenant(), await aTenant()]
      assert.deepEqual(codes(await refused(one.owner.call(access.viewAccount, { scope: other.scope }))), [404, 1003])
      assert.deepEqual(
        codes(await refused(one.owner.call(access.viewZone, { scope: { zone: other.zone.id } }))),
        [404, 1001],
      )
      assert.deepEqual(
        (await one.owner.call(access.listZones, { query: { 'account.id': other.account.id } })).length,
        0,
      )
      const strange = await refused(tokenOf(one.owner, one.scope, ['logs:read'], { zones: [other.zone.id] }))
      assert.deepEqual(codes(strange), [400, 1002])
    })

    test('the audit log tells who did what by which credential, and holds no secret', async () => {
      const { scope, owner, member } = await aTenant()
      const { token } = await tokenOf(owner, scope, ['account:admin'])
      const byToken = house.as({ token: token.value ?? '' })
      await byToken.call(access.updateAccount, { scope, body: { name: 'renamed' } })
      const entries = await owner.call(audit.listAccountAudit, { scope })
      const [rename, mint] = entries
      assert.deepEqual(rename?.metadata.credential, { type: 'token', id: token.id, name: 'of a test' })
      assert.equal(rename?.actor.email, member.email)
      assert.equal(rename?.newValue, '{"name":"renamed"}')
      assert.deepEqual(mint?.metadata.credential, { type: 'key', id: member.user.id, name: 'API key' })
      assert.equal(mint?.resource.type, 'token')
      const text = JSON.stringify(entries)
      for (const secret of [token.value, member.api_key, house.credential.key]) assert.ok(!text.includes(secret ?? '-'))
    })

    test('a token ends when it says so', async () => {
      const { scope, owner } = await aTenant()
      const soon = new Date(Date.now() + 3_600_000).toISOString()
      const { client } = await tokenOf(owner, scope, ['logs:read'], { expires_on: soon })
      assert.equal((await client.call(access.verifyToken, {})).status, 'active')
      house.tick(day)
      try {
        assert.deepEqual(codes(await refused(client.call(access.viewUser, {}))), [403, 9109])
        const [listed] = await owner.call(access.listTokens, { scope })
        assert.equal(listed?.status, 'expired')
        const late = await refused(tokenOf(owner, scope, ['logs:read'], { expires_on: soon }))
        assert.deepEqual(codes(late), [400, 1002])
      } finally {
        house.tick(-day)
      }
    })

    test('a revoked token and a rolled key end at once', async () => {
      const { scope, owner, member } = await aTenant()
      const { token, client } = await tokenOf(owner, scope, ['logs:read'])
      await owner.call(access.revokeToken, { scope, params: { token_id: token.id } })
      assert.deepEqual(codes(await refused(client.call(access.viewUser, {}))), [403, 9109])
      const { api_key } = await owner.call(access.rollKey, {})
      assert.deepEqual(codes(await refused(owner.call(access.viewUser, {}))), [403, 9103])
      assert.equal(
        (await house.as({ email: member.email, key: api_key }).call(access.viewUser, {})).email,
        member.email,
      )
    })

    test('who is removed from an account loses it, and so do the tokens they made', async () => {
      const { scope, owner, member, account } = await aTenant()
      const { client } = await tokenOf(owner, scope, ['logs:read'])
      await admin.call(access.removeMember, { scope, params: { member_id: member.id } })
      assert.deepEqual(codes(await refused(owner.call(access.viewAccount, { scope }))), [404, 1003])
      assert.deepEqual(codes(await refused(client.call(access.viewUser, {}))), [403, 9109])
      assert.deepEqual((await owner.call(access.listAccounts, {})).length, 0)
      const [entry] = await admin.call(audit.listAccountAudit, { scope: { account: account.id } })
      assert.match(JSON.stringify(entry?.metadata.revoked_tokens), /^\["[0-9a-f]{32}"\]$/)
    })

    test('who loses a role cannot keep it in a token', async () => {
      const { scope, owner, member } = await aTenant()
      const { client } = await tokenOf(owner, scope, ['account:admin', 'logs:read'])
      assert.ok(await client.call(access.listMembers, { scope }))
      await admin.call(access.changeRole, {
        scope,
        params: { member_id: member.id },
        body: { role: 'log share reader' },
      })
      assert.deepEqual(codes(await refused(client.call(access.listMembers, { scope }))), [403, 10000])
      assert.equal((await client.call(access.viewAccount, { scope })).id, scope.account)
    })

    test('nobody hands on what they do not hold', async () => {
      const { scope, owner } = await aTenant()
      const { client } = await tokenOf(owner, scope, ['account:admin', 'logs:read'])
      assert.ok(await tokenOf(client, scope, ['logs:read']))
      assert.deepEqual(codes(await refused(tokenOf(client, scope, ['logs:edit']))), [403, 10000])
      const body = { email: 'friend@tenant.test', role: 'administrator' } as const
      assert.deepEqual(codes(await refused(client.call(access.addMember, { scope, body }))), [403, 10000])
      assert.deepEqual(codes(await refused(client.call(access.rollKey, {}))), [403, 10000])
      assert.deepEqual(codes(await refused(owner.call(access.createAccount, { body: { name: 'mine' } }))), [403, 10000])
      assert.deepEqual(codes(await refused(owner.call(access.deleteAccount, { scope }))), [403, 10000])
      // A token of the super administrator is not super.
      const own = await tokenOf(admin, house.accountScope, ['account:admin'])
      assert.deepEqual(codes(await refused(own.client.call(access.viewAccount, { scope }))), [404, 1003])
      assert.deepEqual(
        codes(await refused(own.client.call(access.createAccount, { body: { name: 'x' } }))),
        [403, 10000],
      )
    })

    test('a deleted account takes its members and tokens along; users and their other accounts stay', async () => {
      const [doomed, other] = [await aTenant(), await aTenant()]
      await admin.call(access.addMember, {
        scope: other.scope,
        body: { email: doomed.member.email, role: 'read only' },
      })
      const { client } = await tokenOf(doomed.owner, doomed.scope, ['logs:read'])
      assert.deepEqual(codes(await refused(admin.call(access.deleteAccount, { scope: doomed.scope }))), [400, 1063])
      await doomed.owner.call(access.deleteZone, { scope: { zone: doomed.zone.id } })
      await admin.call(access.deleteAccount, { scope: doomed.scope })
      assert.deepEqual(codes(await refused(client.call(access.viewUser, {}))), [403, 9109])
      const { organizations } = await doomed.owner.call(access.viewUser, {})
      assert.deepEqual(
        organizations.map((one) => [one.id, ...one.roles]),
        [[other.account.id, 'read only']],
      )
      assert.deepEqual(codes(await refused(admin.call(access.viewAccount, { scope: doomed.scope }))), [404, 1003])
      const [last] = await admin.call(audit.listUserAudit, {})
      assert.deepEqual([last?.action.type, last?.resource.id], ['delete', doomed.account.id])
    })

    test('the super administrator stays one without any membership', async () => {
      const { scope } = await aTenant()
      const me = await admin.call(access.viewUser, {})
      const member = await admin.call(access.addMember, { scope, body: { email: me.email, role: 'administrator' } })
      assert.equal(member.api_key, undefined, 'an address that is known gets no new key')
      await admin.call(access.removeMember, { scope, params: { member_id: member.id } })
      assert.equal((await admin.call(access.viewAccount, { scope })).id, scope.account)
      assert.equal((await admin.call(access.viewUser, {})).super_administrator, true)
    })

    test('of 30 requests that create one zone at the same time exactly one succeeds', async () => {
      const { account, owner } = await aTenant()
      const body = { name: `Race-${made}.test`, account: { id: account.id } }
      const answers = await Promise.allSettled(
        Array.from({ length: 30 }, () => owner.call(access.createZone, { body })),
      )
      const lost = answers.filter((answer) => answer.status === 'rejected').map(({ reason }) => codes(reason))
      assert.deepEqual(lost, Array(29).fill([400, 1061]))
      const zones = await owner.call(access.listZones, { query: { name: `race-${made}.test` } })
      assert.equal(zones.length, 1)
      const created = await owner.call(audit.listAccountAudit, {
        scope: { account: account.id },
        query: { 'zone.name': `race-${made}.test` },
      })
      assert.equal(created.length, 1)
    })

    test('of 10 requests that add one new member at the same time one gets a key', async () => {
      const { scope, owner } = await aTenant()
      const body = { email: `new-${made}@tenant.test`, role: 'read only' } as const
      const answers = await Promise.allSettled(
        Array.from({ length: 10 }, () => owner.call(access.addMember, { scope, body })),
      )
      const won = answers.filter((answer) => answer.status === 'fulfilled')
      assert.equal(won.length, 1)
      assert.match(won[0]?.value.api_key ?? '', /^[0-9a-f]{37}$/)
    })

    test('an account deleted while zones are added to it ends empty or not at all', async () => {
      const rounds = Array.from({ length: 8 }, async (_, round) => {
        const account = await admin.call(access.createAccount, { body: { name: `brief ${round}` } })
        const scope = { account: account.id }
        const fate = (work: Promise<unknown>) =>
          work.then(
            () => 'done',
            (reason: Refused) => codes(reason).join(' '),
          )
        const zones = [1, 2, 3].map((number) =>
          fate(
            admin.call(access.createZone, { body: { name: `b${round}-${number}.test`, account: { id: account.id } } }),
          ),
        )
        const deleted = await fate(admin.call(access.deleteAccount, { scope }))
        const added = await Promise.all(zones)
        if (deleted === 'done') assert.deepEqual(added, Array(3).fill('404 1003'))
        else {
          assert.equal(deleted, '400 1063')
          assert.deepEqual(added, Array(3).fill('done'))
        }
      })
      await Promise.all(rounds)
    })

    test('two accounts may each have a zone of the same name', async () => {
      const [one, other] = [await aTenant(), await aTenant()]
      for (const { owner, account } of [one, other]) {
        await owner.call(access.createZone, { body: { name: 'shared.test', account: { id: account.id } } })
      }
      const found = await admin.call(access.listZones, { query: { name: 'SHARED.test.' } })
      assert.equal(found.filter((zone) => [one.account.id, other.account.id].includes(zone.account.id)).length, 2)
    })

    const names: [string, string | undefined][] = [
      ['Example.ORG.', 'example.org'],
      ['münchen.test', 'xn--mnchen-3ya.test'],
      ['_dmarc.example.org', '_dmarc.example.org'],
      ['localhost', undefined],
      ['10.0.0.1', undefined],
      ['a..test', undefined],
      ['-a.test', undefined],
      [`${'a'.repeat(64)}.test`, undefined],
      ['a.test/b', undefined],
      ['a.test:80', undefined],
      ['*.test', undefined],
      ['a b.test', undefined],
      ["a'.test", undefined],
    ]
    for (const [asked, kept] of names) {
      test(`a zone named ${asked} is ${kept ?? 'refused'}`, async () => {
        const body = { name: asked, account: { id: house.account } }
        if (kept === undefined)
          assert.deepEqual(codes(await refused(admin.call(access.createZone, { body }))), [400, 1002])
        else assert.equal((await admin.call(access.createZone, { body })).name, kept)
      })
    }

    test('lists come in pages that neither repeat nor leave out', async () => {
      const { account, owner, scope } = await aTenant()
      for (let number = 0; number < 7; number += 1) {
        await owner.call(access.createZone, { body: { name: `p${number}-${made}.test`, account: { id: account.id } } })
      }
      const first = await owner.ask(access.listZones, { query: { per_page: 3 } })
      assert.deepEqual(first.result_info, { page: 1, per_page: 3, count: 3, total_count: 8, total_pages: 3 })
      const all = await Array.fromAsync(owner.all(access.listZones, { query: { per_page: 3 } }))
      assert.equal(new Set(all.map((zone) => zone.id)).size, 8)
      const past = await owner.ask(access.listZones, { query: { page: 99 } })
      assert.deepEqual(past.result, [])
      const entries = await Array.fromAsync(owner.all(audit.listAccountAudit, { scope, query: { per_page: 4 } }))
      assert.equal(new Set(entries.map((entry) => entry.id)).size, entries.length)
    })

    test('the interface of the caller is in the audit log', async () => {
      const headers = { 'x-spillway-interface': 'UI' }
      await admin.call(access.createAccount, { body: { name: 'by hand' }, headers })
      const [entry] = await admin.call(audit.listUserAudit, {})
      assert.equal(entry?.interface, 'UI')
    })
  })
}

test('requests over the limit get 429 with retry-after, over all credentials of the user', async () => {
  const house = await startHouse({ environment: { SPILLWAY_RATE_LIMIT: '5' } })
  try {
    const { value = '' } = await house.client.call(access.createToken, {
      scope: house.accountScope,
      body: { name: 'second way in', permissions: ['logs:read'] },
    })
    const ways: Credential[] = [house.credential, { token: value }]
    for (let used = 1; used < 5; used += 1) await house.as(ways[used % 2]!).call(access.viewUser, {})
    const answer = await fetch(`${house.baseUrl}/user`, { headers: { authorization: `Bearer ${value}` } })
    assert.equal(answer.status, 429)
    assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/)
    assert.match(answer.headers.get('ratelimit') ?? '', /^"default";r=0;t=\d+$/)
    assert.equal(answer.headers.get('ratelimit-policy'), '"default";q=5;w=300')
    assert.match(await answer.text(), /More than 5 requests per 300 seconds/)
    house.tick(301n * 1_000_000_000n)
    assert.equal((await house.client.call(access.viewUser, {})).email, house.credential.email)
  } finally {
    await house.stop()
  }
})
