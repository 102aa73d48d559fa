/** What people want first: each task of docs/tasks.md is done by its commands, at most five of them. */
import assert from 'node:assert/strict'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { access, type Client, logexport, makeClient } from '../src/contract/index.ts'
import { type Nginx, nginxPath, startNginx, wantsNginx } from './nginx.ts'
import { type Block, blocksOf, commandsOf, type Desk, eventually, freePorts, openDesk, paper } from './paper.ts'

const blocks = blocksOf(paper('docs/tasks.md'))
let desk: Desk
let nginx: Nginx | undefined
let client: Client
let first: { base_url: string; email: string; key: string; account_id: string; zone_id: string }

before(async () => {
  const ports = await freePorts([8787, 8081, 8082])
  nginx = nginxPath
    ? await startNginx(`access_log off; server { listen {port}; location / { return 200 "origin"; } }
        server { listen 127.0.0.1:${ports[8082]}; return 200 "origin"; } include {dir}/conf.d/*.conf;`)
    : undefined
  if (nginx) await mkdir(join(nginx.directory, 'conf.d'))
  const stead = {
    ...ports,
    '/etc/nginx/conf.d': `${nginx?.directory}/conf.d`,
    'nginx -s reload': `nginx -p ${nginx?.directory} -c ${nginx?.directory}/nginx.conf -s reload 2>/dev/null`,
  }
  desk = await openDesk({ stead, environment: { SPILLWAY_EXPORT_INTERVAL_SECONDS: '1' }, npx: 'warm' })
  const banner = { language: 'text', mark: '', heading: '', text: 'Spillway listens on http://127.0.0.1:8787\n…' }
  await desk.run({ language: 'sh', mark: 'stays', heading: '', text: 'npm start' }, banner)
  first = JSON.parse(await readFile(join(desk.directory, 'data/first-run.json'), 'utf8'))
  client = makeClient({ baseUrl: first.base_url, credential: { email: first.email, key: first.key } })
})
after(async () => {
  await desk.leave()
  await nginx?.stop()
})

async function doTask(heading: string): Promise<void> {
  const [commands, shown, ...rest] = blocks.filter((block: Block) => block.heading === heading)
  assert.ok(commands && shown && rest.length === 0, `"${heading}" is commands, and what they print`)
  const count = commandsOf(commands).length
  assert.ok(count >= 1 && count <= 5, `"${heading}" takes ${count} commands`)
  await desk.run(commands, shown)
}

test('a first export', () => doTask('A first export'))

test('why a job is failing', async () => {
  const place = join(desk.directory, 'data/exports/mine')
  await rm(place, { recursive: true })
  await writeFile(place, 'a file where a directory should be')
  const job = { scope: { zone: first.zone_id }, params: { job_id: 2 } }
  await eventually(async () => assert.ok((await client.call(logexport.jobStatus, job)).failures > 0))
  await doTask('Why is a job failing')
  await rm(place)
})

test('add a field to a job', () => doTask('Add a field to a job'))

test('block a path at nginx', wantsNginx, () => doTask('Block a path at nginx'))

test('who deleted a job', async () => {
  const scope = { account: first.account_id }
  const body = { email: 'pat@example.com', role: 'log share' as const }
  const pat = await client.call(access.addMember, { scope, body })
  const credential = { email: 'pat@example.com', key: String(pat.api_key) }
  const patsClient = makeClient({ baseUrl: first.base_url, credential })
  await patsClient.call(logexport.deleteJob, { scope: { zone: first.zone_id }, params: { job_id: 1 } })
  await doTask('Who deleted a job')
})

test('there is nothing else on the page', () => {
  const ran = desk.ran.filter((command) => command !== 'npm start')
  const written = blocks.filter(({ heading }) => nginxPath || heading !== 'Block a path at nginx').flatMap(commandsOf)
  assert.deepEqual(ran, written)
})
