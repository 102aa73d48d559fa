/** The rarer forms of the console: formats, gaps, signing, lists, edges, places, and what actions of rules need to know. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { access, edge, lists, logexport, logs, rulesets } from '../src/contract/index.ts'
import { type ConsoleBrowser, openBrowser } from './console-browser.ts'
import { type Receiver, startReceiver, testAuthority } from './endpoints/index.ts'
import { eventually } from './journeys/export-house.ts'
import { type Job, type JobHouse, startJobHouse } from './journeys/job-house.ts'

let house: JobHouse
let browser: ConsoleBrowser
let receiver: Receiver
let page: Page
before(async () => {
  browser = await openBrowser()
  receiver = await startReceiver('https')
  house = await startJobHouse({
    environment: { SPILLWAY_EXPORT_INTERVAL_SECONDS: '1', SPILLWAY_FETCH_MIN_AGE_SECONDS: '0' },
    network: { allowedNetworks: ['127.0.0.0/8'], certificates: [testAuthority().cert] },
  })
  page = await browser.enter(house)
})
after(async () => {
  await browser.close()
  await house.stop()
  await receiver.stop()
})

const goTo = (path: string) => page.goto(`${house.service.url}/console/zones/${house.zone}/${path}`)
const dialog = () => page.getByRole('dialog')

const sendRecords = (many: number) =>
  house.client.call(logs.ingest, {
    scope: house.zoneScope,
    params: { dataset: 'http_requests' },
    body: Buffer.from(
      Array.from({ length: many }, (_, at) =>
        JSON.stringify({ RayID: `ray${at}`, EdgeResponseStatus: 200, EdgeStartTimestamp: new Date().toISOString() }),
      ).join('\n'),
    ),
  })

const view = (job: Job) => house.client.call(logexport.viewJob, { scope: house.zoneScope, params: { job_id: job.id } })

let job: Job

test('a job gets another format, previewed before it is saved', async () => {
  await sendRecords(20)
  job = await house.make('file:///formats', { name: 'formats', logfetch_options: 'fields=RayID,EdgeResponseStatus' })
  await goTo(`jobs/${job.id}`)
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Format').selectOption('csv')
  await page.getByLabel('Compression', { exact: true }).selectOption('zstd')
  await page.getByText('What stands around records').click()
  await page.getByLabel('Before a file').fill('ray;status\\n')
  await page.getByLabel('Between fields').fill(';')
  await page.getByRole('button', { name: 'Preview ten records' }).click()
  await page.locator('pre.conf').getByText('ray;status').waitFor()
  await browser.look(page, 'job-output')
  await page.getByLabel('Template of a record').fill('{{.NoSuchField}}')
  await page.getByRole('alert').first().getByText('NoSuchField').waitFor()
  await page.getByLabel('Template of a record').fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
  assert.deepEqual((await view(job)).output_options, {
    output_type: 'csv',
    compression: 'zstd',
    batch_prefix: 'ray;status\n',
    field_delimiter: ';',
    field_names: ['RayID', 'EdgeResponseStatus'],
    timestamp_format: 'unixnano',
  })
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Format').selectOption('')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
  assert.equal((await view(job)).output_options, null)
})

test('the list tells how far behind each job is', async () => {
  await house.client.call(logexport.updateJob, {
    scope: house.zoneScope,
    params: { job_id: job.id },
    body: { enabled: true },
  })
  await goTo('jobs')
  await page.locator('.jobs-row').getByText('up to date').waitFor()
})

test('gaps of a past range are found, exported again, and gone', async () => {
  await goTo(`jobs/${job.id}`)
  await page.getByRole('button', { name: 'Look for gaps' }).click()
  const card = page.getByRole('region', { name: 'Gaps', exact: true }).first()
  await card.getByRole('button', { name: 'Compare' }).click()
  await card.getByText('1 window lacks records').waitFor()
  await browser.look(page, 'job-gaps')
  await card.getByRole('button', { name: 'Export the gaps again' }).click()
  await card.getByText(/Done: \d+ windows? exported again/).waitFor({ timeout: 30_000 })
  await card.getByRole('button', { name: 'Compare' }).click()
  await card.getByText(/Complete: 20 records stored/).waitFor()
})

test('the ledger goes back as far as it reaches, a page at a time', async () => {
  const database = new DatabaseSync(join(house.data, 'spillway.db'), { timeout: 5000 })
  const [window] = database.prepare('select window_id from deliveries where job_id = ? limit 1').all(job.id)
  database
    .prepare(`with recursive n(i) as (select 1000 union all select i + 1 from n where i < 1449)
      insert into deliveries (job_id, window_id, part, object_name, rows, raw_bytes, bytes, sha256, attempts, outcome)
      select ?, ?, i, 'older/' || i, 1, 1, 1, '', 1, 'delivered' from n`)
    .run(job.id, window?.window_id ?? null)
  await goTo(`jobs/${job.id}`)
  const rows = page.getByRole('region', { name: 'Deliveries' }).locator('tbody tr')
  for (const many of [200, 400]) {
    await eventually(async () => (await rows.count()) === many)
    await page.getByRole('button', { name: 'Show older' }).click()
  }
  await page.getByRole('button', { name: 'Show older' }).waitFor({ state: 'detached' })
  const objects = await rows.locator('.object').allTextContents()
  assert.deepEqual(
    objects.slice(0, 450),
    Array.from({ length: 450 }, (_, at) => `older/${1449 - at}`),
  )
  database.prepare('delete from deliveries where part >= 1000').run()
  database.close()
})

test('secrets of a signed job are shown on demand and rotated after a word', async () => {
  const conf = `https://${receiver.host}/signed`
  const body = { destination_conf: conf }
  const { filename } = await house.client.call(logexport.issueChallenge, { scope: house.zoneScope, body })
  const heard = receiver.requests().map(({ text }) => JSON.parse(text))
  const ownership_challenge = String(heard.find((record) => record.filename === filename)?.content)
  const signed = await house.client.call(logexport.createJob, {
    scope: house.zoneScope,
    body: { ...body, ownership_challenge, name: 'signed' },
  })
  const call = { scope: house.zoneScope, params: { job_id: signed.id } }
  const [old = ''] = (await house.client.call(logexport.viewSigning, call)).secrets
  await goTo(`jobs/${signed.id}`)
  await page.getByRole('button', { name: 'Signing secrets' }).click()
  await page.getByText('••••').waitFor()
  assert.ok(!(await page.content()).includes(old), 'nothing is shown before one asks')
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await page.getByText(old).waitFor()
  await page.getByRole('button', { name: 'Rotate' }).click()
  await dialog().getByRole('textbox').fill('rotate')
  await dialog().getByRole('button', { name: 'Rotate' }).click()
  await page.getByText('The one before', { exact: true }).waitFor()
  await browser.look(page, 'job-signing')
  const { secrets } = await house.client.call(logexport.viewSigning, call)
  assert.equal(secrets[1], old)
})

test('a list is made, filled from lines, searched, and loses what is chosen', async () => {
  await page.getByRole('link', { name: 'Lists' }).click()
  await page.getByText('No lists yet').waitFor()
  await browser.look(page, 'lists-empty')
  await page.getByRole('button', { name: 'New list' }).click()
  await dialog().getByLabel('Name').fill('Not A Name')
  await dialog().getByRole('button', { name: 'Create' }).click()
  await dialog().getByRole('alert').getByText('lower-case letters').waitFor()
  await dialog().getByLabel('Name').fill('office')
  await dialog().getByLabel('Description').fill('Where we work')
  await browser.look(page, 'list-new')
  await dialog().getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name: '$office' }).waitFor()
  await page.getByText('No items yet').waitFor()
  await page.getByLabel('Items, one a line').fill('192.0.2.0/24 # ground floor\nnonsense')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('alert').getByText('neither an address nor a network').waitFor()
  const many = Array.from({ length: 250 }, (_, at) => `198.51.100.${at}`)
  await page.getByLabel('Items, one a line').fill(['192.0.2.0/24 # ground floor', ...many].join('\n'))
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('251 items written').waitFor()
  await page.getByRole('cell', { name: 'ground floor' }).waitFor()
  // By keyboard: rows are measured when they scroll into view, and what stands below them moves away from a pointer.
  await page.getByRole('button', { name: 'Show more' }).press('Enter')
  await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' })
  assert.equal(await page.getByRole('table').getAttribute('aria-rowcount'), '252')
  assert.ok((await page.locator('.items tbody tr').count()) < 120)
  await browser.look(page, 'list')
  const late = Promise.withResolvers<void>()
  await page.route(/search=198$/, async (route) => {
    await late.promise
    await route.continue()
  })
  const asked = page.waitForRequest(/search=198$/)
  await page.getByLabel('Find items').fill('198')
  await asked
  await page.getByLabel('Find items').fill('192.0.2')
  await page.getByRole('cell', { name: '198.51.100.0', exact: true }).waitFor({ state: 'detached' })
  const answered = page.waitForResponse(/search=198$/)
  late.resolve()
  await (await answered).finished()
  await page.waitForTimeout(200)
  assert.equal(await page.getByRole('table').getAttribute('aria-rowcount'), '2', 'an old answer replaces no newer one')
  await page.getByRole('checkbox', { name: 'Choose 192.0.2.0/24' }).check()
  await page.getByRole('button', { name: 'Remove 1 item' }).click()
  await page.getByText('No item begins with').waitFor()
  const [list] = await house.client.call(lists.listLists, { scope: house.accountScope })
  assert.equal(list?.num_items, 250)
})

test('what common actions need to know is filled in, and read back as it was', async () => {
  const deployed = async (phase: string) =>
    (await house.client.call(rulesets.viewEntryPoint, { scope: house.zoneScope, params: { phase } })).rules[0]
  const write = async (phase: string, action: string, fill: () => Promise<void>) => {
    await goTo(`rulesets/phases/${phase}`)
    await page.getByRole('button', { name: 'Add a rule' }).click()
    await page.getByLabel('When').fill('true')
    await page.getByLabel('Action', { exact: true }).selectOption(action)
    await fill()
    await page.getByRole('button', { name: 'Review and deploy' }).click()
    await dialog().getByRole('button', { name: 'Deploy', exact: true }).click()
    await page.getByText(/version 1, 1 rule/).waitFor()
    return deployed(phase)
  }

  const block = await write('http_request_firewall_custom', 'block', async () => {
    await page.getByLabel('Answer with a response of its own').check()
    await page.getByLabel('Status').fill('451')
    await page.getByLabel('Content', { exact: true }).fill('<b>Not here.</b>')
    await page.getByLabel('Type of the content').selectOption('text/html')
    await browser.look(page, 'rule-block')
  })
  assert.deepEqual(block?.action_parameters, {
    response: { status_code: 451, content: '<b>Not here.</b>', content_type: 'text/html' },
  })

  const redirect = await write('http_request_dynamic_redirect', 'redirect', async () => {
    await page.getByLabel('Target', { exact: true }).fill('https://www.example.com/new')
    await page.getByLabel('Status').selectOption('308')
    await page.getByLabel('Keep the query').check()
    await browser.look(page, 'rule-redirect')
  })
  assert.deepEqual(redirect?.action_parameters, {
    from_value: {
      target_url: { value: 'https://www.example.com/new' },
      status_code: 308,
      preserve_query_string: true,
    },
  })

  const headers = await write('http_request_late_transform', 'rewrite', async () => {
    await page.getByRole('button', { name: 'Leave X-Source alone' }).click()
    await page.getByRole('button', { name: 'Header', exact: true }).click()
    await page.getByLabel('Header', { exact: true }).fill('X-Country')
    await page.getByRole('button', { name: 'Computed' }).click()
    await page.getByLabel('Value', { exact: true }).fill('ip.src.contry')
    await page.locator('.fault').getByText('ip.src.country').first().waitFor()
    await browser.look(page, 'rule-headers')
    await page.getByRole('button', { name: 'Use ip.src.country' }).click()
    await page.locator('.fault').waitFor({ state: 'detached' })
  })
  assert.deepEqual(headers?.action_parameters, {
    headers: { 'X-Country': { operation: 'set', expression: 'ip.src.country' } },
  })

  const path = await write('http_request_transform', 'rewrite', async () => {
    await page.getByLabel('New path').fill('/moved')
    await page.getByLabel('Rewrite the query').check()
    await page.getByLabel('Rewrite the query').uncheck()
  })
  assert.deepEqual(path?.action_parameters, { uri: { path: { value: '/moved' } } })

  const limited = (await write('http_ratelimit', 'block', async () => {
    await page.getByLabel('Most requests').fill('40')
    await page.getByLabel('Within').selectOption('300')
    await page.getByLabel('Acts for so many seconds').fill('600')
    await browser.look(page, 'rule-ratelimit')
  })) as { ratelimit?: object } | undefined
  assert.deepEqual(limited?.ratelimit, {
    characteristics: ['cf.colo.id', 'ip.src'],
    period: 300,
    requests_per_period: 40,
    mitigation_timeout: 600,
    requests_to_origin: false,
  })

  const logged = await write('http_log_custom_fields', 'log_custom_field', async () => {
    await page.getByLabel('Cookies').fill('session, ab')
  })
  assert.deepEqual(logged?.action_parameters?.cookie_fields, [{ name: 'session' }, { name: 'ab' }])

  await goTo('rulesets/phases/http_request_firewall_custom')
  await page.getByRole('button', { name: 'Add a rule' }).click()
  await page.locator('.rule').last().getByLabel('When').fill('true')
  await page.locator('.rule').last().getByLabel('Action', { exact: true }).selectOption('skip')
  await page.getByLabel('Leave out the rest of this ruleset').uncheck()
  await page.getByLabel('Rate limiting rules').check()
  await page.getByRole('button', { name: 'JSON' }).click()
  assert.deepEqual(JSON.parse(await page.getByLabel('as JSON').inputValue()), { phases: ['http_ratelimit'] })
  await page.getByLabel('as JSON').fill('{ "phases": ["http_ratelimit"], "products": ["waf"] }')
  await page.getByRole('button', { name: 'Form', exact: true }).click()
  assert.equal(await page.getByLabel('Managed rules of old').isChecked(), true)
  await browser.look(page, 'rule-skip')
})

test('an edge of the zone is told what to do when nobody answers, and gets a token of its own', async () => {
  await page.getByRole('link', { name: 'Edge' }).click()
  await page.getByRole('button', { name: /Refuse it/ }).click()
  await page.getByText('is down too').waitFor()
  const settings = await house.client.call(edge.viewEdgeSettings, { scope: house.zoneScope })
  assert.equal(settings.on_failure, 'closed')
  await page.getByRole('button', { name: 'New edge token' }).click()
  await dialog().getByLabel('Name').fill('nginx-1')
  await dialog().getByRole('button', { name: 'Create' }).click()
  const token = (await dialog().locator('.secret code').textContent()) ?? ''
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await page.getByRole('cell', { name: 'nginx-1' }).waitFor()
  await browser.look(page, 'edge')
  const answer = await fetch(`${house.baseUrl}/zones/${house.zone}/edge/decide/`, {
    headers: { authorization: `Bearer ${token}` },
    redirect: 'manual',
  })
  assert.equal(answer.status, 308, 'a rule made above answers')
})

test('accounts and zones are made, renamed and deleted, and the switcher knows them at once', async () => {
  await page.getByRole('link', { name: 'Accounts & zones' }).click()
  await page.getByRole('button', { name: 'New account' }).click()
  await dialog().getByLabel('Name').fill('Second Ltd.')
  await dialog().getByRole('button', { name: 'Create' }).click()
  const card = page.getByRole('region', { name: 'Second Ltd.' })
  await card.getByText('No zones yet').waitFor()
  await card.getByRole('button', { name: 'New zone' }).click()
  await dialog().getByLabel('Domain name').fill('second.example')
  await dialog().getByRole('button', { name: 'Create' }).click()
  await card.getByRole('link', { name: 'second.example' }).waitFor()
  await browser.look(page, 'places')
  assert.equal(await page.locator('#place option').filter({ hasText: 'second.example' }).count(), 1)
  await card.getByRole('button', { name: 'Delete' }).click()
  await dialog().getByRole('textbox').fill('second.example')
  await dialog().getByRole('button', { name: 'Delete the zone' }).click()
  await card.getByText('No zones yet').waitFor()
  await card.getByRole('button', { name: 'Delete' }).click()
  await dialog().getByRole('textbox').fill('Second Ltd.')
  await dialog().getByRole('button', { name: 'Delete the account' }).click()
  await card.waitFor({ state: 'detached' })
  const accounts = await eventually(() => house.client.call(access.listAccounts, { query: { per_page: 50 } }))
  assert.equal(accounts.length, 1)
})

test('who administers a service without any account makes one, and the console opens in it', async () => {
  await house.client.call(access.deleteZone, { scope: house.zoneScope })
  await house.client.call(access.deleteAccount, { scope: house.accountScope })
  await page.goto(`${house.service.url}/console`)
  await page.getByRole('heading', { name: 'The first account' }).waitFor()
  await browser.look(page, 'first-account')
  await page.getByLabel('Name').fill('Third Ltd.')
  await page.getByRole('button', { name: 'Create the account' }).click()
  await page.getByRole('heading', { name: 'Export jobs' }).waitFor()
  assert.equal(await page.locator('#place option').filter({ hasText: 'Third Ltd.' }).count(), 1)
})
