/** The short form of `scripts/fuzz-api.ts`: every operation of the document, drawn, spoilt and damaged requests. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fuzz } from './fuzz/drive.ts'
import { makeJudge } from './fuzz/judge.ts'
import { startHouse } from './house.ts'

for (const [database, requests] of [
  ['sqlite', 2_000],
  ['postgres', 800],
] as const) {
  test(`${requests} drawn requests on ${database}: no 5xx, no hang, the envelope always`, async (t) => {
    const nowhere = 'http://127.0.0.1:9'
    const house = await startHouse({
      database,
      environment: {
        SPILLWAY_OWNERSHIP: 'storage',
        SPILLWAY_FETCH_MIN_AGE_SECONDS: '0',
        SPILLWAY_S3_ENDPOINT: nowhere,
        SPILLWAY_GCS_ENDPOINT: nowhere,
        SPILLWAY_AZURE_ENDPOINT: nowhere,
      },
      network: { resolve: async () => [] },
    })
    try {
      const report = await fuzz(
        { url: house.service.url, ...house.credential },
        { requests, seed: 20261115, atOnce: 4 },
      )
      t.diagnostic([...report.byStatus].map(([status, count]) => `${status}: ${count}`).join(', '))
      assert.deepEqual(report.failures, [])
      assert.equal(report.requests, requests)
      assert.ok([...report.succeeded.values()].filter((times) => times > 0).length > 60, 'too few requests were good')
      assert.deepEqual(
        house.logLines.filter((line) => line.includes('"unexpected error"')),
        [],
      )
    } finally {
      await house.stop()
    }
  })
}

test('the judge of answers bites', () => {
  const endpoint = {
    operation: 'GET /user',
    method: 'GET',
    template: '/user',
    tag: '',
    parameters: [],
    bodyType: undefined,
  }
  const schema = { type: 'object', properties: { result: { type: 'object', required: ['id'] } } } as never
  const judge = makeJudge([{ ...endpoint, bodySchema: undefined, answerSchema: schema }])
  const request = {
    operation: 'GET /user',
    method: 'GET',
    target: '/v4/user',
    headers: [],
    body: undefined,
    isOnItsPath: true,
  }
  const headers = { 'x-request-id': '0'.repeat(36), 'content-type': 'application/json' }
  const answer = (status: number, body: unknown, more = {}) =>
    judge(request, { status, headers: { ...headers, ...more }, body: Buffer.from(JSON.stringify(body)) })
  const good = { success: true, errors: [], messages: [], result: { id: 1 } }
  const bad = { success: false, errors: [{ code: 1002, message: 'no' }], messages: [], result: null }
  assert.equal(answer(200, good), undefined)
  assert.equal(answer(404, bad), undefined)
  for (const [status, body, more] of [
    [500, bad],
    [503, bad],
    [200, bad],
    [400, good],
    [200, { ...good, result: {} }],
    [200, { id: 1 }],
    [400, { ...bad, errors: [] }],
    [400, { ...bad, errors: [{ code: 'x', message: 'no' }] }],
    [400, bad, { 'x-request-id': undefined }],
    [400, bad, { 'content-type': 'text/html' }],
  ] as const)
    assert.ok(answer(status, body, more), JSON.stringify([status, body]))
})
