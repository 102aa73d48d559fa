/** The starter set as starts of the service find it and leave it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../test/databases.ts'
import { theService } from '../../access/index.ts'
import { systemClock } from '../../base/index.ts'
import { commonProtection } from './common/index.ts'
import { importManaged, provideCommonProtection } from './import.ts'

onEachDatabase((fresh) => {
  test('a start stores the starter set once, and brings it back when it is another than this release ships', async () => {
    const { db } = (await fresh()).database
    const needs = { db, now: systemClock }
    const versions = async () => (await db.selectFrom('ruleset_versions').select('version').execute()).length
    await provideCommonProtection(needs, theService)
    await provideCommonProtection(needs, theService)
    assert.equal(await versions(), 1)

    const [first, ...others] = commonProtection.rules
    const fewer = { ...commonProtection, rules: others }
    const another = { ...commonProtection, rules: [{ ...first, enabled: !first?.enabled }, ...others] }
    const worded = { ...commonProtection, description: 'of an earlier release' }
    for (const [told, set] of [fewer, another, worded].entries()) {
      await importManaged(needs, theService, set)
      await provideCommonProtection(needs, theService)
      assert.equal(await versions(), 3 + 2 * told)
    }
  })
})
