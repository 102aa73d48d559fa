/** Many callers at the same time, through the API of a whole house, on both databases. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { logexport } from '../../src/contract/index.ts'
import type { Job } from './job-house.ts'
import { startJobHouse } from './job-house.ts'

for (const database of ['sqlite', 'postgres'] as const) {
  describe(`on ${database}`, () => {
    test('fifty creations of one destination by two tenants make one job', async () => {
      const house = await startJobHouse({ database })
      try {
        const conf = 'file:///contested/{DATE}'
        const tenants = await Promise.all(['one', 'two'].map(house.newTenant))
        const proofs = await Promise.all(
          tenants.map(async ({ zone, client, credential }) => ({
            scope: { zone },
            credential,
            token: await house.prove(conf, { zone }, client),
          })),
        )
        const answers = await Promise.all(
          Array.from({ length: 50 }, (_, n) => {
            const { scope, credential, token } = proofs[n % 2] ?? assert.fail()
            const body = { destination_conf: conf, ownership_challenge: token }
            return house.ask('POST', '/jobs', body, { scope, credential })
          }),
        )
        const made = answers.filter(({ status }) => status === 201)
        assert.equal(made.length, 1)
        for (const { status, body } of answers.filter((answer) => !made.includes(answer))) {
          assert.equal(status, 400, 'not 409, which clients try again')
          assert.match(body.errors[0]?.message ?? '', /another job already writes to this destination/)
        }
        const lists = await Promise.all(proofs.map(({ scope }) => house.client.call(logexport.listJobs, { scope })))
        assert.deepEqual(lists.flat(), [made[0]?.body.result as Job])
      } finally {
        await house.stop()
      }
    })
  })
}
