/** What the console must withstand: hostile texts, small screens, dark rooms, and a missing build. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import fastify from 'fastify'
import { access, lists, logexport, logs, rulesets } from '../src/contract/index.ts'
import { bindConsole } from '../src/http/console.ts'
import { type ConsoleBrowser, openBrowser, settled } from './console-browser.ts'
import { type JobHouse, startJobHouse } from './journeys/job-house.ts'

let house: JobHouse
let browser: ConsoleBrowser
before(async () => {
  browser = await openBrowser()
  house = await startJobHouse({ environment: { SPILLWAY_FETCH_MIN_AGE_SECONDS: '0' } })
})
after(async () => {
  await browser.close()
  await house.stop()
})

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${house.service.url}${path}`, { headers })
const zonePath = (path: string) => `${house.service.url}/console/zones/${house.zone}/${path}`

async function assetsOf(page: string): Promise<readonly string[]> {
  return [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
}

test('the page allows no inline script, no other origin and no frame, and is never sniffed', async () => {
  for (const path of ['/', '/console', `/console/zones/${house.zone}/jobs`]) {
    const response = await get(path)
    assert.equal(response.status, 200)
    assert.match(response.headers.get('content-type') ?? '', /^text\/html/)
    const policy = response.headers.get('content-security-policy') ?? ''
    for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"])
      assert.ok(policy.includes(rule), rule)
    assert.doesNotMatch(policy, /unsafe|\*/)
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
    assert.equal(response.headers.get('cache-control'), 'no-cache')
    const html = await response.text()
    assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)|<style|\son\w+=|https?:\/\//)
  }
})

test('files with a hash in their name are kept for a year; a name that is none is answered as such', async () => {
  const html = await (await get('/')).text()
  for (const path of await assetsOf(html)) {
    const response = await get(path)
    assert.match(response.headers.get('cache-control') ?? '', /max-age=31536000, immutable/)
    const again = await get(path, { 'if-none-match': response.headers.get('etag') ?? '' })
    assert.equal(again.status, 304)
  }
  for (const path of [
    '/assets/nothing.js',
    '/assets/..%2fpackage.json',
    '/v4/nothing',
    '/client/v4/nothing',
    '/nothing',
  ]) {
    const response = await get(path)
    assert.equal(response.status, 404, path)
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
  }
})

test('the first load is under 250 kB, packed', async () => {
  const html = await (await get('/')).text()
  let bytes = 0
  for (const path of ['/', ...(await assetsOf(html))]) {
    const response = await get(path, { 'accept-encoding': 'gzip' })
    assert.equal(response.headers.get('content-encoding'), 'gzip')
    bytes += Number(response.headers.get('content-length'))
  }
  console.log(`first load: ${bytes} bytes packed`)
  assert.ok(bytes > 10_000 && bytes < 250_000, `${bytes} bytes`)
})

test('without a build the page says how to get one', async () => {
  const empty = await mkdtemp(join(tmpdir(), 'spillway-no-console-'))
  const app = fastify()
  bindConsole(app, empty)
  const response = await app.inject('/')
  assert.equal(response.statusCode, 503)
  assert.match(response.body, /npm run build/)
  await app.close()
  await rm(empty, { recursive: true })
})

const hostile = [
  '<img src=x onerror="globalThis.stolen=1">',
  '"><script>globalThis.stolen=1</script>',
  "javascript:globalThis.stolen=1//'",
  '{{globalThis.stolen=1}}',
  '<svg/onload=globalThis.stolen=1>',
]

test('hostile texts in records, rules and names are shown and never run', async () => {
  const lines = hostile.map((text) => ({
    RayID: text,
    ClientRequestURI: text,
    ClientRequestUserAgent: text,
    EdgeStartTimestamp: new Date().toISOString(),
  }))
  await house.client.call(logs.ingest, {
    scope: house.zoneScope,
    params: { dataset: 'http_requests' },
    body: Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n')),
  })
  // The newest second of records is not served yet.
  await wait(2_500)
  const rules = hostile.map((text) => ({
    action: 'log',
    description: text,
    expression: `http.user_agent eq ${JSON.stringify(text)}`,
  }))
  const phase = 'http_request_firewall_custom'
  for (const body of [{ rules }, { rules: rules.toReversed() }])
    await house.client.call(rulesets.updateEntryPoint, { scope: house.zoneScope, params: { phase }, body })

  const page = await browser.enter(house)
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  const [image = ''] = hostile
  await page.goto(zonePath('logs'))
  await page.getByRole('button', { name: 'Record 1', exact: true }).click()
  await page.locator('.whole-record').getByText(image).first().waitFor()
  await browser.look(page, 'hostile-logs')
  await page.goto(zonePath(`rulesets/phases/${phase}`))
  await page.locator('.rule strong').getByText(image).waitFor()
  await page.getByRole('button', { name: 'Edit' }).first().click()
  await page.getByRole('button', { name: 'Versions' }).click()
  await page.locator('.difference').getByText(image).first().waitFor()
  await page.goto(zonePath('trace'))
  await page.getByLabel('Request').fill(`curl https://example.com/ -A '${image}'`)
  await page.getByRole('button', { name: 'Trace', exact: true }).click()
  await page.locator('.rule.matched').getByText(image).first().waitFor()
  await browser.look(page, 'hostile-trace')
  await page.goto(zonePath('audit'))
  await page.locator('.opener').first().click()
  await page.getByText('After', { exact: true }).waitFor()

  assert.equal(await page.evaluate('globalThis.stolen'), undefined)
  const elsewhere = requests.filter((url) => !url.startsWith(house.service.url))
  assert.deepEqual(elsewhere, [], 'nothing is asked of another origin')
})

test('hostile texts in lists, templates, answers and names of places are shown and never run', async () => {
  const [image = '', script = ''] = hostile
  const { client, accountScope, zoneScope } = house
  const list = await client.call(lists.createList, {
    scope: accountScope,
    body: { name: 'words', kind: 'string', description: image },
  })
  await client.call(lists.addItems, {
    scope: accountScope,
    params: { list_id: list.id },
    body: hostile.map((text) => ({ string: text, comment: text })),
  })
  const job = await house.make('file:///hostile', {
    output_options: { field_names: ['RayID'], batch_prefix: image, record_template: `${script}{{.RayID}}` },
  })
  const phase = 'http_request_transform'
  const rule = {
    action: 'rewrite',
    expression: 'true',
    action_parameters: { uri: { path: { value: `/${image}` }, query: { value: script } } },
  }
  await client.call(rulesets.updateEntryPoint, { scope: zoneScope, params: { phase }, body: { rules: [rule] } })
  const tenant = await client.call(access.createAccount, { body: { name: image } })
  await client.call(access.createToken, {
    scope: accountScope,
    body: { name: image, permissions: ['edge:decide'] },
  })

  const page = await browser.enter(house)
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  await page.goto(zonePath('lists'))
  await page.locator('.phases').getByText(image).waitFor()
  await page.goto(zonePath(`lists/${list.id}`))
  await page.getByRole('cell', { name: image, exact: true }).first().waitFor()
  await page.getByLabel('Find items').fill(image)
  await page.getByRole('cell', { name: script, exact: true }).first().waitFor({ state: 'detached' })
  await browser.look(page, 'hostile-list')
  await page.goto(zonePath(`jobs/${job.id}`))
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('button', { name: 'Preview ten records' }).click()
  await page.locator('pre.conf').getByText(image).waitFor()
  await browser.look(page, 'hostile-output')
  await page.goto(zonePath(`rulesets/phases/${phase}`))
  await page.getByRole('button', { name: /^Edit/ }).click()
  assert.equal(await page.getByLabel('New path').inputValue(), `/${image}`)
  await page.goto(zonePath('edge'))
  await page.getByRole('cell', { name: image }).waitFor()
  await page.goto(zonePath('places'))
  await page.getByRole('heading', { name: image }).waitFor()
  await page.getByRole('region', { name: image }).getByRole('button', { name: 'New zone' }).click()
  await page.getByRole('dialog').getByLabel('Domain name').fill(image)
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
  await page.getByRole('dialog').getByRole('alert').waitFor()
  await browser.look(page, 'hostile-places')

  assert.equal(await page.evaluate('globalThis.stolen'), undefined)
  const elsewhere = requests.filter((url) => !url.startsWith(house.service.url))
  assert.deepEqual(elsewhere, [], 'nothing is asked of another origin')
  await client.call(access.deleteAccount, { scope: { account: tenant.id } })
})

test('a script that is put into the page is not run', async () => {
  const page = await browser.enter(house)
  await page.evaluate(`
    try {
      const script = document.createElement('script')
      script.append('globalThis.stolen = 1')
      document.body.append(script)
    } catch {}
    try { document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="globalThis.stolen=1">') } catch {}
  `)
  await page.waitForTimeout(300)
  assert.equal(await page.evaluate('globalThis.stolen'), undefined)
})

test('a page that cannot be drawn says so, and what to do', async () => {
  const page = await browser.enter(house)
  const nonsense = { success: true, errors: [], messages: [], result: { not: 'a list' } }
  await page.route('**/logexport/jobs', (route) => route.fulfill({ json: nonsense }))
  await page.goto(zonePath('jobs'))
  await page.getByRole('heading', { name: 'This page broke' }).waitFor()
  await browser.look(page, 'crashed')
  await page.unroute('**/logexport/jobs')
  await page.getByRole('button', { name: 'Load again' }).click()
  await page.getByRole('heading', { name: 'Export jobs' }).waitFor()
})

test('credentials are kept for the tab alone', async () => {
  const page = await browser.enter(house)
  assert.ok(!JSON.stringify(await page.evaluate('({ ...localStorage })')).includes(house.credential.key))
  assert.equal(await page.evaluate('document.cookie'), '')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  assert.equal(await page.evaluate('JSON.stringify({ ...sessionStorage })'), '{}')
})

test('on a small screen and in the dark every page is still sound', async () => {
  const page = await browser.enter(house)
  await page.setViewportSize({ width: 390, height: 800 })
  await page.emulateMedia({ colorScheme: 'dark' })
  const pages = [
    'jobs',
    'jobs/new',
    'logs',
    'rulesets',
    'lists',
    'trace',
    'edge',
    'audit',
    'people',
    'places',
    'system',
  ]
  for (const name of pages) {
    await page.goto(zonePath(name))
    await page.locator('h1').waitFor()
    await settled(page)
    await browser.look(page, `small-${name.replace('/', '-')}`)
    const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    assert.ok(Number(wide) <= 0, `${name} is ${wide} pixels too wide`)
  }
})

test('of a thousand rules only those near the window are drawn, and all can be reached, found, kept open and moved', async () => {
  const phase = 'http_request_firewall_custom'
  const rules = Array.from({ length: 1000 }, (_, at) => ({
    action: 'block',
    description: `Rule number ${at + 1}`,
    expression: `http.request.uri.path eq "/path/${at}"`,
  }))
  await house.client.call(rulesets.updateEntryPoint, { scope: house.zoneScope, params: { phase }, body: { rules } })
  const page = await browser.enter(house)
  await page.goto(zonePath(`rulesets/phases/${phase}`))
  await page.getByRole('button', { name: 'Edit Rule number 3', exact: true }).click()
  await page.getByLabel('Description').fill('Being typed')
  await page.keyboard.press('Escape')
  const last = page.getByRole('button', { name: /^Move Rule number 1000,/ })
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
  await last.waitFor()
  const drawn = await page.locator('.rule').count()
  assert.ok(drawn > 10 && drawn < 100, `${drawn} rules are drawn`)
  assert.equal(await page.locator('.rule').last().getAttribute('aria-setsize'), '1000')
  assert.equal(await page.locator('.rule').last().getAttribute('aria-posinset'), '1000')
  assert.equal(await page.getByLabel('Description').inputValue(), 'Being typed', 'an open rule stays')
  await browser.look(page, 'thousand-rules')
  await last.press('Home')
  await page.getByText('Rule number 1000 is now 1 of 1000').waitFor()
  assert.match(
    String(await page.evaluate('document.activeElement.getAttribute("aria-label")')),
    /^Move Rule number 1000, 1 of 1000/,
  )
  await page.getByLabel('Find rules').fill('/path/776"')
  await page.getByText('1 rule of 1000 found').waitFor()
  await page.getByRole('button', { name: /^Move Rule number 777, 778 of 1000/ }).waitFor()
})

test('among a hundred jobs and more one is found, and the table tells how many there are', async () => {
  const numbers = Array.from({ length: 100 }, (_, at) => at)
  await Promise.all(numbers.map((at) => house.make(`file:///many/${at}`, { name: `job-${at}` })))
  const page = await browser.enter(house)
  await page.goto(zonePath('jobs'))
  const table = page.getByRole('table')
  await table.getByRole('link').first().waitFor()
  const jobs = await house.client.call(logexport.listJobs, { scope: house.zoneScope })
  assert.equal(await table.getAttribute('aria-rowcount'), String(jobs.length + 1))
  assert.ok((await page.locator('.jobs tbody tr').count()) < 80)
  await browser.look(page, 'many-jobs')
  await page.getByLabel('Find jobs').fill('job-77')
  await page.getByRole('link', { name: 'job-77' }).waitFor()
  assert.equal(await page.locator('.jobs tbody tr').count(), 1)
})
