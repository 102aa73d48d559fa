import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Permission, Scope } from '../base/index.ts'
import { type Grant, may, type Role, roles, sees } from './permissions.ts'

const account: Scope = { kind: 'account', id: 'a1', account: 'a1' }
const zone: Scope = { kind: 'zone', id: 'z1', account: 'a1' }
const sister: Scope = { kind: 'zone', id: 'z2', account: 'a1' }
const foreign: Scope = { kind: 'zone', id: 'z9', account: 'a9' }
const holding = (permissions: readonly Permission[], zones: readonly string[] | null = null) => ({
  isSuper: false,
  grants: [{ account: 'a1', zones, permissions } satisfies Grant],
})

const asked: readonly Permission[] = [
  'account:admin',
  'logs:read',
  'logs:edit',
  'logs:ingest',
  'rulesets:read',
  'rulesets:edit',
  'edge:decide',
]

/** One mark a permission, in the order above. */
const table: Record<Role, string> = {
  administrator: 'yyyyyyy',
  'log share': '-yy----',
  'log share reader': '-y-----',
  'rulesets editor': '----yy-',
  'read only': '-y--y--',
}

for (const [role, marks] of Object.entries(table) as [Role, string][]) {
  test(`the role ${role} may do exactly what its row says, in the account and in each zone`, () => {
    for (const scope of [account, zone]) {
      const row = asked.map((permission) => (may(holding(roles[role]), permission, scope) ? 'y' : '-')).join('')
      assert.equal(row, marks)
    }
    assert.ok(asked.every((permission) => !may(holding(roles[role]), permission, foreign)))
  })
}

test('who may change a thing may read it, and not the reverse', () => {
  assert.ok(may(holding(['logs:edit']), 'logs:read', zone))
  assert.ok(may(holding(['rulesets:edit']), 'rulesets:read', zone))
  assert.ok(!may(holding(['logs:read']), 'logs:edit', zone))
  assert.ok(!may(holding(['account:admin']), 'logs:read', zone))
})

test('a grant for one zone covers that zone, not its sister and not the account above', () => {
  const limited = holding(asked, ['z1'])
  assert.deepEqual(
    [zone, sister, account, foreign].map((scope) => sees(limited, scope)),
    [true, false, false, false],
  )
})

test('a super administrator sees and may do everything', () => {
  const owner = { isSuper: true, grants: [] }
  assert.ok(asked.every((permission) => may(owner, permission, foreign)) && sees(owner, foreign))
})

test('whatever is held, nothing may be done where nothing can be seen', () => {
  const grant = fc.record({
    account: fc.constantFrom('a1', 'a9'),
    zones: fc.option(fc.subarray(['z1', 'z2', 'z9'])),
    permissions: fc.subarray([...asked]),
  })
  fc.assert(
    fc.property(
      fc.array(grant, { maxLength: 3 }),
      fc.constantFrom(account, zone, sister, foreign),
      fc.constantFrom(...asked),
      (grants, scope, permission) => {
        const holder = { isSuper: false, grants }
        assert.ok(!may(holder, permission, scope) || sees(holder, scope))
      },
    ),
  )
})
