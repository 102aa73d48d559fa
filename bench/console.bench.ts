/**
 * How smoothly a thousand rules and a thousand jobs scroll in the console. No budget: here they are drawn without a
 * graphics card, on two cores. Seen: rules p50 33 to 50 ms and p95 100 to 200, jobs p50 33 and p95 83 to 133.
 */
import type { Page } from 'playwright-core'
import { rulesets } from '../src/contract/index.ts'
import { openBrowser } from '../test/console-browser.ts'
import { startJobHouse } from '../test/journeys/job-house.ts'

const browser = await openBrowser()
const house = await startJobHouse()
const zonePath = (path: string) => `${house.service.url}/console/zones/${house.zone}/${path}`
try {
  const page = await browser.enter(house)
  console.log('1,000 rules, frames in ms:', JSON.stringify(await scrollRules(page)))
  console.log('1,000 jobs, frames in ms: ', JSON.stringify(await scrollJobs(page)))
} finally {
  await browser.close()
  await house.stop()
}

async function scrollRules(page: Page) {
  const phase = 'http_request_firewall_custom'
  const rules = Array.from({ length: 1000 }, (_, at) => ({
    action: 'block',
    description: `Rule number ${at + 1}`,
    expression: `http.request.uri.path eq "/path/${at}" and ip.src in {192.0.2.0/24 198.51.100.${at % 256}}`,
  }))
  await house.client.call(rulesets.updateEntryPoint, { scope: house.zoneScope, params: { phase }, body: { rules } })
  await page.goto(zonePath(`rulesets/phases/${phase}`))
  await page.getByText('Rule number 1', { exact: true }).waitFor()
  return frameTimes(page)
}

async function scrollJobs(page: Page) {
  const numbers = Array.from({ length: 1000 }, (_, at) => at)
  for (let from = 0; from < numbers.length; from += 50) {
    await Promise.all(
      numbers.slice(from, from + 50).map((at) => house.make(`file:///many/${at}`, { name: `job-${at}` })),
    )
  }
  await page.goto(zonePath('jobs'))
  await page.getByRole('link', { name: 'job-0', exact: true }).waitFor()
  return frameTimes(page)
}

/** Scrolls from top to end in steps and returns how long each frame took. */
async function frameTimes(page: Page): Promise<{ p50: number; p95: number; worst: number; frames: number }> {
  return page.evaluate(`new Promise((resolve) => {
    const times = []
    let before = performance.now()
    const step = (now) => {
      times.push(now - before)
      before = now
      scrollBy(0, 240)
      const isDone = scrollY + innerHeight >= document.documentElement.scrollHeight - 2 || times.length >= 400
      if (!isDone) return requestAnimationFrame(step)
      const sorted = times.slice(1).sort((a, b) => a - b)
      const at = (share) => Math.round(sorted[Math.floor((sorted.length - 1) * share)])
      resolve({ p50: at(0.5), p95: at(0.95), worst: at(1), frames: sorted.length })
    }
    requestAnimationFrame(step)
  })`) as Promise<{ p50: number; p95: number; worst: number; frames: number }>
}
