import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { say as sayLine } from '../../../test/terminal.ts'
import { datasets } from '../../datasets/index.ts'

const say = (...argv: string[]) => sayLine(argv)

async function startSink(t: TestContext) {
  const seen: { path: string; key: unknown; lines: string[] }[] = []
  const server = createServer(async (request, response) => {
    const lines = Buffer.concat(await Array.fromAsync(request))
      .toString()
      .split('\n')
      .slice(0, -1)
    seen.push({ path: request.url ?? '', key: request.headers['idempotency-key'], lines })
    const result = { accepted: lines.length, rejected: 0, errors: [] }
    response.end(JSON.stringify({ success: true, errors: [], messages: [], result }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test('records of every dataset can be printed', async () => {
  for (const { name } of datasets) {
    const { out, code } = await say('generate', '--dataset', name, '--count', '2', '--print')
    assert.equal(code, 0)
    assert.equal(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)).length,
      2,
    )
  }
})

test('records are sent to the scope their dataset lives in', async (t) => {
  const { seen, url } = await startSink(t)
  const [zone, account] = ['a'.repeat(32), 'b'.repeat(32)]
  const where = ['--url', url, '--token', 'x', '--zone', zone, '--account', account]
  const requests = await say('generate', '--count', '25000', '--seed', '7', '--json', ...where)
  assert.deepEqual(JSON.parse(requests.out), { accepted: 25_000, rejected: 0, seed: 7 })
  await say('generate', '--dataset', 'audit_logs', '--count', '1', ...where)
  assert.deepEqual(
    seen.map(({ path, lines }) => [path, lines.length]),
    [
      [`/v4/zones/${zone}/logs/ingest/http_requests`, 10_000],
      [`/v4/zones/${zone}/logs/ingest/http_requests`, 10_000],
      [`/v4/zones/${zone}/logs/ingest/http_requests`, 5_000],
      [`/v4/accounts/${account}/logs/ingest/audit_logs`, 1],
    ],
  )
  assert.equal(new Set(seen.map(({ key }) => key)).size, 4)
})

test('a rate is kept for the seconds asked', async () => {
  const began = performance.now()
  const { out } = await say('generate', '--rate', '300', '--seconds', '1', '--print')
  assert.equal(out.trim().split('\n').length, 300)
  assert.ok(performance.now() - began >= 950)
})

test('flags that make no sense are refused', async () => {
  const wrong = [
    ['--dataset', 'nowhere'],
    ['--count', '0'],
    ['--count', 'many'],
    ['--rate', '1', '--count', '1'],
    ['--seconds', '1'],
    ['--seed', '-1'],
  ]
  for (const flags of wrong) assert.equal((await say('generate', ...flags, '--print')).code, 2, flags.join(' '))
  assert.equal((await say('ingest', 'access.log')).code, 2)
  assert.equal((await say('ingest', '--format', 'caddy')).code, 2)
  const missing = await say('ingest', '--format', 'caddy', '/nowhere/access.log')
  assert.deepEqual([missing.code, missing.err], [1, 'spillway: there is no file /nowhere/access.log'])
})
