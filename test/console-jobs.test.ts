/** Export jobs in the console, from signing in to deleting a job. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { logexport, logs } from '../src/contract/index.ts'
import { type ConsoleBrowser, openBrowser, settled } from './console-browser.ts'
import { type JobHouse, startJobHouse } from './journeys/job-house.ts'

let house: JobHouse
let browser: ConsoleBrowser
let page: Page
before(async () => {
  browser = await openBrowser()
  house = await startJobHouse({
    environment: { SPILLWAY_EXPORT_INTERVAL_SECONDS: '1', SPILLWAY_FETCH_MIN_AGE_SECONDS: '0' },
  })
})
after(async () => {
  await browser.close()
  await house.stop()
})

const sendRecords = (many: number) => {
  const lines = Array.from({ length: many }, (_, at) =>
    JSON.stringify({
      RayID: `ray${at}`,
      ClientIP: `192.0.2.${at % 250}`,
      ClientRequestHost: 'www.example.com',
      ClientRequestURI: `/shop/${at}?q=\${jndi}`,
      ClientRequestMethod: 'GET',
      EdgeResponseStatus: at % 9 === 0 ? 503 : 200,
      EdgeStartTimestamp: new Date().toISOString(),
    }),
  )
  return house.client.call(logs.ingest, {
    scope: house.zoneScope,
    params: { dataset: 'http_requests' },
    body: Buffer.from(lines.join('\n')),
  })
}

const viewJob = () => house.client.call(logexport.viewJob, { scope: house.zoneScope, params: { job_id: 1 } })

test('wrong credentials are refused with what to do, and right ones lead to the jobs', async () => {
  page = await browser.open()
  await page.goto(house.service.url)
  await page.getByLabel('E-mail').fill(house.credential.email)
  await page.getByLabel('API key').fill('0'.repeat(37))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').getByText('Sign in again with a key or token that is still good').waitFor()
  await browser.look(page, 'sign-in')
  await page.getByLabel('API key').fill(house.credential.key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('No export jobs yet').waitFor()
  await browser.look(page, 'jobs-empty')
})

test('the guide makes a job to files, through the challenge, with chosen fields and a preview', async () => {
  await sendRecords(30)
  await page.getByRole('link', { name: 'New job' }).click()
  await page.getByRole('button', { name: /Amazon S3/ }).click()
  await page.getByLabel('Secret access key').fill('a secret that nobody sees')
  assert.ok(!(await page.locator('.conf').textContent())?.includes('nobody'), 'the secret is masked')
  await page.getByRole('button', { name: /Files of the service/ }).click()
  await page.getByLabel('Directory').fill('archive/{DATE}')
  await browser.look(page, 'guide-destination')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Write the challenge' }).click()
  const file = (await page.getByTestId('challenge-file').textContent()) ?? ''
  await browser.look(page, 'guide-ownership')
  await page.getByLabel('Token').fill('not the token')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('This is not the token').waitFor()
  await page.getByLabel('Token').fill(await readFile(join(house.fileRoot, file), 'utf8'))
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByLabel('Search fields').fill('RayID')
  await page.getByRole('checkbox', { name: /^RayID / }).waitFor()
  await page.getByLabel('Search fields').fill('ClientRequestReferer')
  await page.getByRole('checkbox', { name: /ClientRequestReferer/ }).check()
  await page.getByText('"RayID":"ray0"').waitFor()
  await browser.look(page, 'guide-records')
  await page.getByRole('button', { name: 'Condition' }).click()
  await page.getByLabel('Field', { exact: true }).selectOption('EdgeResponseStatus')
  await page.getByLabel('Operator').selectOption('lt')
  await page.getByLabel('Value', { exact: true }).fill('600')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByLabel('Name').fill('edge-to-archive')
  await browser.look(page, 'guide-enable')
  await page.getByRole('button', { name: 'Create and enable' }).click()
  await page.getByRole('heading', { name: /edge-to-archive/ }).waitFor()
  const job = await viewJob()
  assert.equal(job.enabled, true)
  assert.equal(job.filter, '{"where":{"and":[{"key":"EdgeResponseStatus","operator":"lt","value":600}]}}')
  assert.match(job.logfetch_options ?? '', /fields=.*ClientRequestReferer.*&timestamps=rfc3339/)
})

test('deliveries appear while one watches, with their windows, sizes and objects', async () => {
  for (const many of [60, 140, 90, 170, 120, 80, 150, 110]) {
    await sendRecords(many)
    await wait(1_200)
  }
  await page.locator('.ledger tbody tr').nth(3).waitFor()
  await page.getByText('Rows per window').waitFor()
  assert.match((await page.locator('.ledger tbody tr').first().textContent()) ?? '', /delivered[\s\S]*archive\/\d{8}\//)
  await browser.look(page, 'job')
  await page.getByRole('link', { name: 'Export jobs' }).click()
  await page.locator('.sparkline').first().waitFor()
  await browser.look(page, 'jobs')
})

test('editing says that the redaction option will go, and it is gone afterwards', async () => {
  const redacting = `${(await viewJob()).logfetch_options}&CVE-2021-44228=true`
  await house.client.call(logexport.updateJob, {
    scope: house.zoneScope,
    params: { job_id: 1 },
    body: { logfetch_options: redacting },
  })
  await page.getByRole('link', { name: 'edge-to-archive' }).click()
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByText('Saving here sets that option to false').waitFor()
  await page.getByLabel('Share of records').fill('0.5')
  await browser.look(page, 'job-edit')
  const sent = page.waitForRequest((request) => request.method() === 'PUT')
  await page.getByRole('button', { name: 'Save' }).click()
  assert.ok(!(await sent).postData()?.includes('CVE-2021-44228'), 'the console never sends the option')
  await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
  const { logfetch_options: options } = await viewJob()
  assert.match(options ?? '', /sample=0\.5/)
  assert.doesNotMatch(options ?? '', /CVE-2021-44228=true/)
  const entries = await house.auditOf(1)
  assert.equal(entries.at(-1)?.interface, 'UI')
})

test('a pause holds the job, and going on lets it work again', async () => {
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.locator('h1').getByText('Paused').waitFor()
  assert.equal((await viewJob()).enabled, false)
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.locator('h1').getByText('Delivering').waitFor()
})

test('a backfill shows its progress until every window is exported again', async () => {
  await page.getByRole('button', { name: 'Backfill a past range' }).click()
  await page.getByRole('button', { name: 'Start the backfill' }).click()
  await page.getByText(/Done: \d+ windows? exported again/).waitFor({ timeout: 30_000 })
  await browser.look(page, 'job-backfill')
  await page.locator('.ledger').getByText('backfill').first().waitFor()
})

test('received records are found by time and filter, counted over time, and open to the whole', async () => {
  await page.getByRole('link', { name: 'Logs' }).click()
  await page.getByLabel('At most').selectOption('100')
  await page.getByRole('button', { name: 'Query', exact: true }).last().click()
  await page.getByRole('heading', { name: '100 records, the first of the range' }).waitFor()
  await page.getByRole('button', { name: 'Record 1', exact: true }).click()
  await page.locator('.whole-record').getByText('www.example.com').waitFor()
  await browser.look(page, 'logs')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByRole('button', { name: 'Condition' }).click()
  await page.getByLabel('Field', { exact: true }).selectOption('EdgeResponseStatus')
  await page.getByLabel('Operator').selectOption('geq')
  await page.getByLabel('Value', { exact: true }).fill('500')
  await page.getByRole('button', { name: 'Query', exact: true }).last().click()
  await page.getByRole('button', { name: 'Filter (on)' }).waitFor()
  await settled(page)
  const statuses = await page.locator('.records [data-row] tr').allTextContents()
  assert.ok(statuses.length > 0)
  assert.ok(statuses.every((row) => row.includes('503')))
})

test('live tail shows records as they come in, and holds still while it is paused', async () => {
  await page.getByRole('button', { name: 'Live tail' }).click()
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByText('Waiting for records').waitFor()
  await sendRecords(3)
  await page.getByText('3 records shown').waitFor()
  await browser.look(page, 'live-tail')
  await page.getByRole('button', { name: 'Pause' }).click()
  await sendRecords(4)
  await wait(1_500)
  await page.getByText('3 records shown').waitFor()
  await page.getByRole('button', { name: 'Go on' }).click()
  await page.getByText('7 records shown').waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
})

test('a job is deleted only when its name is typed', async () => {
  await page.getByRole('link', { name: 'Export jobs' }).click()
  await page.getByRole('link', { name: 'edge-to-archive' }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill('edge')
  assert.equal(await dialog.getByRole('button', { name: 'Delete the job' }).isDisabled(), true)
  await browser.look(page, 'job-delete')
  await dialog.getByRole('textbox').fill('edge-to-archive')
  await dialog.getByRole('button', { name: 'Delete the job' }).click()
  await page.getByText('No export jobs yet').waitFor()
  await assert.rejects(viewJob(), /job not found/)
})
