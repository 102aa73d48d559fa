/** Rulesets in the console: deploy, reorder, break, compare, roll back, trace; then who did it all. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { rulesets } from '../src/contract/index.ts'
import { type ConsoleBrowser, openBrowser } from './console-browser.ts'
import { type JobHouse, startJobHouse } from './journeys/job-house.ts'

const phase = 'http_request_firewall_custom'

let house: JobHouse
let browser: ConsoleBrowser
let page: Page
before(async () => {
  browser = await openBrowser()
  house = await startJobHouse()
  page = await browser.enter(house)
})
after(async () => {
  await browser.close()
  await house.stop()
})

const deployed = () => house.client.call(rulesets.viewEntryPoint, { scope: house.zoneScope, params: { phase } })
const descriptions = async () => (await deployed()).rules.map(({ description }) => description)

async function addRule(description: string, expression: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a rule' }).click()
  const card = page.locator('.rule').last()
  await card.getByLabel('Description').fill(description)
  await card.getByLabel('When').fill(expression)
  await card.getByRole('button', { name: 'Close' }).click()
}

async function deploy(): Promise<void> {
  await page.getByRole('button', { name: 'Review and deploy' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Deploy', exact: true }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

test('phases stand in the order a request passes them, with what is deployed in each', async () => {
  await page.getByRole('link', { name: 'Rulesets' }).click()
  await page.getByText('Requests, on their way in').waitFor()
  await browser.look(page, 'rulesets')
  await page.getByRole('link', { name: 'Custom rules' }).click()
  await page.getByText('No rules yet').waitFor()
})

test('rules are written as a draft and deployed after a look at what changes', async () => {
  await addRule(
    'Admin pages only from the office',
    'http.request.uri.path contains "/admin" and not ip.src in {192.0.2.0/24}',
  )
  await addRule('Nobody logs in here', 'http.request.uri.path contains "/wp-login.php"')
  await addRule(
    'Doubtful visitors',
    'cf.threat_score gt 40 or (http.user_agent eq "" and http.request.method in {"POST" "PUT"})',
  )
  await page.getByText('3 changes, not deployed').waitFor()
  await page.getByRole('button', { name: 'Review and deploy' }).click()
  await browser.look(page, 'ruleset-review')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await deploy()
  await page.getByText(/version 1, 3 rules/).waitFor()
  assert.deepEqual(await descriptions(), [
    'Admin pages only from the office',
    'Nobody logs in here',
    'Doubtful visitors',
  ])
})

test('the keyboard moves a rule, the focus stays on it, and its new place is told', async () => {
  await page.getByRole('button', { name: /^Move Doubtful visitors/ }).focus()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  await page.getByText('Doubtful visitors is now 1 of 3').waitFor()
  assert.equal(
    await page.evaluate(
      'document.activeElement.getAttribute("aria-label").startsWith("Move Doubtful visitors, 1 of 3")',
    ),
    true,
  )
  await page.keyboard.press('End')
  await page.keyboard.press('Home')
  await deploy()
  await page.getByText(/version 2, 3 rules/).waitFor()
  assert.deepEqual(await descriptions(), [
    'Doubtful visitors',
    'Admin pages only from the office',
    'Nobody logs in here',
  ])
})

test('a rule is dragged to another place', async () => {
  await page.getByRole('button', { name: /^Move Nobody logs in here/ }).dragTo(page.locator('.rule').first())
  await page.getByText('Nobody logs in here is now 1 of 3').waitFor()
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.getByText('not deployed').waitFor({ state: 'detached' })
})

test('fields are completed while one types', async () => {
  await page.getByRole('button', { name: 'Edit Doubtful visitors' }).click()
  const editor = page.getByLabel('When')
  await editor.fill('')
  await editor.pressSequentially('http.request.uri.pa')
  await page.getByRole('listbox', { name: 'Completions' }).getByRole('option').first().waitFor()
  await browser.look(page, 'rule-completion')
  await page.keyboard.press('Enter')
  assert.match(await editor.inputValue(), /^http\.request\.uri\.path/)
})

test('a broken expression gets carets under what is wrong, a proposal, and is not deployed', async () => {
  const editor = page.getByLabel('When')
  await editor.fill('http.hots eq "staging.example.com" and ssl')
  await page.locator('.fault pre').filter({ hasText: 'staging' }).waitFor()
  assert.equal(await page.locator('.fault pre').textContent(), 'http.hots eq "staging.example.com" and ssl\n^^^^^^^^^')
  await browser.look(page, 'rule-caret')
  await page.getByRole('button', { name: 'Review and deploy' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Deploy', exact: true }).click()
  await page.getByRole('dialog').getByRole('alert').getByText('unknown identifier').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  assert.equal((await deployed()).version, '2')
  await page.getByRole('button', { name: 'Use http.host' }).click()
  await page.locator('.fault').waitFor({ state: 'detached' })
  await deploy()
  await page.getByText(/version 3, 3 rules/).waitFor()
})

test('versions are compared, and rolling back deploys an old one as a new one', async () => {
  await page.getByRole('button', { name: 'Versions' }).click()
  await page.getByRole('button', { name: /^Version 1/ }).click()
  await page.getByText('What going back to version 1 would change').waitFor()
  await page.locator('.difference li').first().waitFor()
  await browser.look(page, 'ruleset-versions')
  await page.getByRole('button', { name: 'Roll back to version 1' }).click()
  await page.getByText(/version 4, 3 rules/).waitFor()
  assert.deepEqual(await descriptions(), [
    'Admin pages only from the office',
    'Nobody logs in here',
    'Doubtful visitors',
  ])
})

test('a change made meanwhile elsewhere is not overwritten', async () => {
  await addRule('Mine', 'ssl')
  const { rules } = await deployed()
  await house.client.call(rulesets.updateEntryPoint, {
    scope: house.zoneScope,
    params: { phase },
    body: { rules: rules.map(({ id }) => ({ id })).reverse() },
  })
  await page.getByRole('button', { name: 'Review and deploy' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Deploy', exact: true }).click()
  await page.getByRole('dialog').getByText('Someone changed it meanwhile').waitFor()
})

test('a managed ruleset shows its rules by tag, and is executed with overrides', async () => {
  await page.goto(`${house.service.url}/console/zones/${house.zone}/rulesets`)
  await page.getByRole('link', { name: 'Spillway Common Protection' }).click()
  await page.getByRole('button', { name: /^sqli/ }).click()
  await browser.look(page, 'managed-ruleset')
  await page.goto(`${house.service.url}/console/zones/${house.zone}/rulesets/phases/http_request_firewall_managed`)
  await page.getByRole('button', { name: 'Add a rule' }).click()
  await page.getByLabel('Action', { exact: true }).selectOption('execute')
  await page.getByLabel('When').fill('true')
  await page.getByLabel('Ruleset to run').selectOption({ label: 'Spillway Common Protection (managed)' })
  await page.getByLabel('Action: Tag sqli').selectOption('log')
  await page.getByLabel('State: Tag wordpress').selectOption('false')
  await browser.look(page, 'managed-overrides')
  await deploy()
  await page.getByText(/version 1, 1 rule/).waitFor()
  const [rule] = (
    await house.client.call(rulesets.viewEntryPoint, {
      scope: house.zoneScope,
      params: { phase: 'http_request_firewall_managed' },
    })
  ).rules
  assert.deepEqual(rule?.action_parameters?.overrides, {
    categories: [
      { category: 'sqli', action: 'log' },
      { category: 'wordpress', enabled: false },
    ],
  })
})

test('a blocked request is traced from a curl line to the rule that blocks it, with its values', async () => {
  await page.getByRole('link', { name: 'Trace a request' }).click()
  await page
    .getByLabel('Request')
    .fill(`curl -X POST 'https://example.com/admin/users' -H 'User-Agent: probe' --data 'a=1'`)
  await page.getByLabel('Visitor’s address').fill('198.51.100.7')
  await page.getByRole('button', { name: 'Trace', exact: true }).click()
  await page.getByText('Answered at the edge with 403').waitFor()
  const matched = page.locator('.rule.matched')
  await matched.getByText('Admin pages only from the office').waitFor()
  await matched.getByText('"198.51.100.7"').waitFor()
  await browser.look(page, 'trace')
  await page.getByLabel('Request').fill('this is no request')
  await page.getByRole('button', { name: 'Trace', exact: true }).click()
  await page.getByRole('alert').getByText('neither a curl line').waitFor()
})

test('the audit trail tells that it was the console, and what changed', async () => {
  await page.getByRole('link', { name: 'Audit' }).click()
  await page.getByLabel('Action').fill('update')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByRole('cell', { name: 'UI' }).first().waitFor()
  await page.locator('.opener').first().click()
  await page.getByText('After', { exact: true }).waitFor()
  await browser.look(page, 'audit')
})

test('a token is shown once, a member gets a key, and the system says that it is ready', async () => {
  await page.getByRole('link', { name: 'Tokens & members' }).click()
  await page.getByRole('button', { name: 'New token' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('edge-ingest')
  await browser.look(page, 'token-new')
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
  const secret = await page.locator('.secret code').textContent()
  assert.ok(secret && secret.length > 20)
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await page.getByRole('cell', { name: 'edge-ingest' }).waitFor()
  await page.getByRole('button', { name: 'Add a member' }).click()
  await page.getByRole('dialog').getByLabel('E-mail').fill('kim@example.com')
  await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click()
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await browser.look(page, 'people')
  await page.getByRole('link', { name: 'System' }).click()
  await page.getByText('Ready', { exact: true }).waitFor()
  await browser.look(page, 'system')
})
