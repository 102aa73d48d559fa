import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readConfig, settings } from './config.ts'

const reasonsOf = (environment: Record<string, string>): string[] => {
  const judged = readConfig(environment)
  return judged.ok ? [] : judged.reasons.map((reason) => reason.message)
}

test('an empty environment is a configuration, and a variable set to nothing is unset', () => {
  const plain = readConfig({})
  assert.ok(plain.ok)
  assert.deepEqual([plain.value.host, plain.value.port, plain.value.data], ['127.0.0.1', 8787, './data'])
  const empty = Object.fromEntries(Object.values(settings).map(({ name }) => [name, '']))
  assert.deepEqual(readConfig(empty), plain)
})

test('every fallback is a value its setting accepts, and every setting says what it is for', () => {
  for (const { name, fallback, says, read } of Object.values(settings)) {
    assert.ok(read(fallback).ok, name)
    assert.match(says, /[.]$/, name)
    assert.match(name, /^SPILLWAY_[A-Z0-9_]+$/)
  }
})

test('every mistake is said, not only the first', () => {
  assert.equal(reasonsOf({ SPILLWAY_PORT: 'x', SPILLWAY_RATE_LIMIT: '0', SPILLWAY_WRONG: '1' }).length, 3)
})

const wrong: [string, string, RegExp][] = [
  ['SPILLWAY_PORT', '99999', /is not a whole number from 0 to 65535/],
  ['SPILLWAY_PORT', '0x50', /is not a whole number/],
  ['SPILLWAY_PORT', '-1', /is not a whole number/],
  ['SPILLWAY_DATABASE_URL', 'mysql://host/db', /is not an address of the form postgres:\/\/host/],
  ['SPILLWAY_DATABASE_URL', 'nonsense', /is not an address/],
  ['SPILLWAY_CLICKHOUSE_URL', 'ftp://host', /is not an address of the form http:\/\/host/],
  ['SPILLWAY_ROLES', 'api,cook', /is not a list of api, ingest, export/],
  ['SPILLWAY_ROLES', ',', /is not a list/],
  ['SPILLWAY_SECRET_KEY', 'aGk=', /is not 32 bytes in base64/],
  ['SPILLWAY_ALLOWED_NETWORKS', '10.0.0.0', /holds 10\.0\.0\.0, which is no CIDR block/],
  ['SPILLWAY_ALLOWED_NETWORKS', '10.0.0.0/33', /no CIDR block/],
  ['SPILLWAY_LOG_LEVEL', 'loud', /is not a log level/],
  ['SPILLWAY_OWNERSHIP', 'never', /is neither always nor storage/],
  ['SPILLWAY_DEMO', 'yes', /is neither 1 nor 0/],
  ['SPILLWAY_PROT', '80', /is not a setting; see docs\/reference\/configuration\.md/],
]
for (const [name, value, says] of wrong) {
  test(`${name}=${value} is refused by name`, () => {
    const [reason = '', ...rest] = reasonsOf({ [name]: value })
    assert.match(reason, new RegExp(`^${name} `))
    assert.match(reason, says)
    assert.deepEqual(rest, [])
  })
}

test('a mistake in a secret is said without the secret', () => {
  const said = reasonsOf({
    SPILLWAY_SECRET_KEY: 'c2VjcmV0',
    SPILLWAY_DATABASE_URL: 'mysql://me:hunter2@host/db',
  }).join()
  assert.doesNotMatch(said, /c2VjcmV0|hunter2/)
})

test('settings of the command line and of the tests are not mistaken for ours', () => {
  assert.deepEqual(reasonsOf({ SPILLWAY_TOKEN: 'x', SPILLWAY_URL: 'http://x', SPILLWAY_TEST_POSTGRES_URL: 'x' }), [])
})

test('a number is taken from the least to the most that its refusal names, both included, and nothing beyond', () => {
  const bounded = Object.values(settings).flatMap(({ name }) => {
    const [, least, most] = /is not a whole number from (\d+) to (\d+)/.exec(reasonsOf({ [name]: 'x' }).join()) ?? []
    return least === undefined || most === undefined ? [] : [{ name, least: BigInt(least), most: BigInt(most) }]
  })
  assert.ok(bounded.length >= 15)
  for (const { name, least, most } of bounded) {
    const isTaken = (number: bigint): boolean => readConfig({ [name]: String(number) }).ok
    assert.ok(isTaken(least) && isTaken(most), `${name} takes ${least} and ${most}`)
    assert.ok(!isTaken(least - 1n) && !isTaken(most + 1n), `${name} takes nothing beyond`)
    assert.ok(most <= BigInt(Number.MAX_SAFE_INTEGER), `${name} is counted exactly`)
    fc.assert(
      fc.property(fc.bigInt({ min: -10n, max: 10n ** 18n }), (number) => {
        assert.equal(isTaken(number), number >= least && number <= most)
      }),
    )
  }
})
