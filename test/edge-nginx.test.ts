/** The whole way: rules deployed, a real nginx that asks, its access log and the events in the objects of an export job. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { access, logexport } from '../src/contract/index.ts'
import { deployRules, startOrigin } from './edge-journey.ts'
import { type House, startHouse } from './house.ts'
import { startNginx, wantsNginx } from './nginx.ts'

const root = join(import.meta.dirname, '..')

async function exportTo(house: House, files: string, dataset: string): Promise<void> {
  const { client, zoneScope: scope } = house
  const destination_conf = `file:///${dataset}/{DATE}`
  const { filename } = await client.call(logexport.issueChallenge, { scope, body: { destination_conf } })
  const ownership_challenge = (await readFile(join(files, filename), 'utf8')).trim()
  const fields = {
    http_requests: 'fields=RayID,ClientRequestURI,EdgeResponseStatus',
    firewall_events: 'fields=RayID,Action,ClientRequestPath,Description,EdgeResponseStatus,Source',
  }[dataset as 'http_requests' | 'firewall_events']
  await client.call(logexport.createJob, {
    scope,
    body: { dataset, destination_conf, ownership_challenge, enabled: true, logfetch_options: fields },
  })
}

async function exported(files: string, dataset: string): Promise<Record<string, unknown>[]> {
  const names = await readdir(join(files, dataset), { recursive: true }).catch(() => [])
  const objects = names.filter((name) => name.endsWith('.gz')).sort()
  const texts = await Promise.all(objects.map((name) => readFile(join(files, dataset, name))))
  return texts.flatMap((bytes) =>
    gunzipSync(bytes)
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  )
}

test(
  'nginx lets pass, blocks, redirects and limits as rules say; log and events are exported',
  wantsNginx,
  async () => {
    const files = await mkdtemp(join(tmpdir(), 'spillway-edge-'))
    const house = await startHouse({
      environment: { SPILLWAY_FILE_ROOT: files, SPILLWAY_EXPORT_INTERVAL_SECONDS: '1' },
    })
    const origin = await startOrigin()
    await deployRules(house)
    for (const dataset of ['http_requests', 'firewall_events']) await exportTo(house, files, dataset)
    const { value: token } = await house.client.call(access.createToken, {
      scope: house.accountScope,
      body: { name: 'nginx', permissions: ['edge:decide'], zones: [house.zone] },
    })

    const format = await readFile(join(root, 'docs/ingest/nginx.conf'), 'utf8')
    const example = await readFile(join(root, 'docs/edge/nginx/spillway.conf'), 'utf8')
    const nginx = await startNginx(
      `${format.replace('/var/log/nginx/spillway.log', '{dir}/logs/spillway.log')}
     # Visitors of this test say who they are, as behind a load balancer.
     set_real_ip_from 127.0.0.1; real_ip_header X-Test-Visitor;
     ${example
       .replaceAll('127.0.0.1:8787', new URL(house.service.url).host)
       .replaceAll('127.0.0.1:8080', `127.0.0.1:${origin.port}`)
       .replaceAll('ZONE_ID', house.zone)
       .replaceAll('EDGE_TOKEN', token ?? '')
       .replace('listen 80;', 'listen 127.0.0.1:{port};')}`,
    )
    const log = join(nginx.directory, 'logs/spillway.log')
    const follower = spawn(
      process.execPath,
      ['src/main.ts', 'ingest', '--format', 'nginx-json', '--follow', '--data', house.data].concat([
        '--state',
        join(nginx.directory, 'state'),
        log,
      ]),
      { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] },
    )
    const visit = async (path: string, init: RequestInit & { from?: string } = {}) => {
      const { from = '198.51.100.7', ...rest } = init
      const headers = { 'user-agent': 'x', ...rest.headers, 'x-test-visitor': from }
      const answer = await fetch(nginx.url + path, { ...rest, headers, redirect: 'manual' })
      return { status: answer.status, headers: answer.headers, body: await answer.text() }
    }
    try {
      const passed = await visit('/fine?x=%C3%BC', { method: 'POST', body: 'hello' })
      assert.equal(passed.status, 200)
      assert.deepEqual(JSON.parse(passed.body), { url: '/fine?x=%C3%BC', method: 'POST', rule: 'yes', body: 'hello' })
      assert.equal(JSON.parse((await visit('/v1/a?b=c')).body).url, '/v2/a?b=c')

      for (const method of ['GET', 'DELETE']) {
        const blocked = await visit('/admin/users', { method })
        assert.deepEqual(
          [blocked.status, blocked.headers.get('content-type'), blocked.body],
          [451, 'application/json; charset=utf-8', '{"why":"staff only"}'],
        )
      }
      assert.equal((await visit('/admin/users', { from: '192.0.2.9' })).status, 200)
      const spoofs = { 'x-forwarded-uri': '/fine', 'x-original-url': 'http://x/fine', 'x-forwarded-for': '192.0.2.9' }
      assert.equal((await visit('/admin/users', { headers: spoofs })).status, 451)

      assert.equal((await visit('/?id=1+union+select+2')).status, 403)
      assert.equal((await visit('/?q=<script>1</script>')).status, 200)

      const moved = await visit('/old?a=1')
      assert.deepEqual([moved.status, moved.headers.get('location')], [308, '/new?a=1'])

      assert.equal((await visit('/limited')).status, 200)
      const limited = await visit('/limited')
      assert.deepEqual([limited.status, limited.headers.get('retry-after')], [429, '60'])

      const isThere = async () => {
        const requests = await exported(files, 'http_requests')
        const events = await exported(files, 'firewall_events')
        return requests.length >= 12 && events.length >= 6 ? { requests, events } : undefined
      }
      let found = await isThere()
      for (let tries = 0; !found && tries < 300; tries += 1) {
        await wait(100)
        found = await isThere()
      }
      assert.ok(found, 'log and events did not arrive in exported objects')
      const told = found.events.map(({ RayID, ...event }) => JSON.stringify(event))
      assert.equal(told.filter((text) => text.includes('"Staff only"') && text.includes('451')).length, 3)
      assert.ok(told.some((text) => text.includes('"firewallmanaged"') && text.includes('"block"')))
      assert.ok(told.some((text) => text.includes('"firewallmanaged"') && text.includes('"log"')))
      assert.ok(told.some((text) => text.includes('"ratelimit"') && text.includes('429')))
      const event = found.events.find((one) => one.Description === 'Staff only')
      const request = found.requests.find((one) => one.RayID === event?.RayID)
      assert.deepEqual([request?.ClientRequestURI, request?.EdgeResponseStatus], ['/admin/users', 451])
    } finally {
      follower.kill('SIGTERM')
      await once(follower, 'exit')
      await nginx.stop()
      origin.stop()
      await house.stop()
      await rm(files, { recursive: true, force: true })
    }
  },
)

test('an nginx whose Spillway is out of reach lets requests pass to the origin', wantsNginx, async () => {
  const origin = await startOrigin()
  const example = await readFile(join(root, 'docs/edge/nginx/spillway.conf'), 'utf8')
  const nginx = await startNginx(
    example
      .replaceAll('127.0.0.1:8787', '127.0.0.1:1')
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${origin.port}`)
      .replace('listen 80;', 'listen 127.0.0.1:{port};'),
  )
  try {
    const answer = await fetch(`${nginx.url}/admin?x=1`)
    assert.deepEqual([answer.status, ((await answer.json()) as { url: string }).url], [200, '/admin?x=1'])
  } finally {
    await nginx.stop()
    origin.stop()
  }
})
