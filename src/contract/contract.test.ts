import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { type House, startHouse } from '../../test/house.ts'
import { type Operation, pathFor, pathsOf } from './operation.ts'
import { operations } from './operations.ts'

type Document = { openapi: string; paths: Record<string, Record<string, { operationId: string }>> }

const plumbing = ['client', 'envelope', 'index', 'openapi', 'operation', 'operations', 'ruleset-view', 'words']

test('every operation of every file is in the table, and has its own id and address', async () => {
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  for (const file of files.filter((name) => !plumbing.includes(name.replace(/\.ts$/, '')))) {
    const held: Operation[] = Object.values(await import(join(import.meta.dirname, file)))
    assert.ok(held.length > 0, file)
    for (const operation of held) assert.ok(operations.includes(operation), `${file}: ${operation.id}`)
  }
  const ids = operations.map((operation) => operation.id)
  assert.deepEqual(ids, [...new Set(ids)])
  const addresses = operations.flatMap((operation) => pathsOf(operation).map((path) => `${operation.method} ${path}`))
  assert.deepEqual(addresses, [...new Set(addresses)])
})

describe('the document a service gives out', () => {
  let house: House
  let document: Document
  before(async () => {
    house = await startHouse()
    document = (await (await fetch(`${house.baseUrl}/openapi.json`)).json()) as Document
  })
  after(() => house.stop())

  test('is valid OpenAPI 3.1, under both base addresses', async () => {
    assert.match(document.openapi, /^3\.1\./)
    const { valid, errors } = await new Validator().validate(structuredClone(document))
    assert.ok(valid, JSON.stringify(errors)?.slice(0, 2_000))
    const other = await (await fetch(`${house.service.url}/client/v4/openapi.json`)).json()
    assert.deepEqual(other, document)
  })

  test('has every operation of the table, once for each path it answers on', () => {
    const told = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const wanted = operations.flatMap((operation) => pathsOf(operation).map((path) => `${operation.method} ${path}`))
    assert.deepEqual(told.sort(), wanted.sort())
    const ids = Object.values(document.paths).flatMap((methods) => Object.values(methods).map((one) => one.operationId))
    assert.deepEqual(ids.sort(), [...new Set(ids)].sort())
  })

  const some = '0123456789abcdef0123456789abcdef'
  for (const operation of operations.filter(({ allowed }) => allowed !== 'open')) {
    test(`${operation.id} asks for credentials under both base addresses, before it reads anything else`, async () => {
      const names = Object.keys(operation.params?.properties ?? {})
      const params = Object.fromEntries(names.map((name) => [name, some]))
      const scope = operation.place === 'account' ? { account: some } : { zone: some }
      const path = pathFor(operation, operation.place === 'none' ? undefined : scope, params)
      for (const base of ['/v4', '/client/v4']) {
        const answer = await fetch(`${house.service.url}${base}${path}`, { method: operation.method })
        const { errors } = (await answer.json()) as { errors: { code: number }[] }
        assert.deepEqual([answer.status, errors[0]?.code], [400, 9106], `${operation.method} ${base}${path}`)
      }
    })

    if (operation.place === 'none') continue
    test(`${operation.id} finds nothing in a scope that is not there`, async () => {
      const names = Object.keys(operation.params?.properties ?? {})
      const params = Object.fromEntries(names.map((name) => [name, some]))
      const scope = operation.place === 'account' ? { account: some } : { zone: some }
      const answer = await fetch(`${house.baseUrl}${pathFor(operation, scope, params)}`, {
        method: operation.method,
        headers: { 'x-auth-email': house.credential.email, 'x-auth-key': house.credential.key },
      })
      assert.equal(answer.status, 404)
      assert.equal(((await answer.json()) as { success: boolean }).success, false)
    })
  }
})
