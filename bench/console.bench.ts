/**
 * How smoothly a thousand rules, a thousand jobs and two thousand records scroll in the console, 240 pixels a frame. The
 * same browser scrolls an empty page first: what a frame costs here without a graphics card is no fault of the lists, so
 * the budget is a ratio. Budget: half of all frames take no longer than 1.5 times an empty one's, 95 of 100 no longer than
 * 3 times. On a machine that is busy with other things the second says little; the CPU time that the page's own thread
 * takes for a frame tells then whether it was the list.
 */
import type { Page } from 'playwright-core'
import { logs, rulesets } from '../src/contract/index.ts'
import { openBrowser } from '../test/console-browser.ts'
import { startJobHouse } from '../test/journeys/job-house.ts'

type Frames = {
  readonly p50: number
  readonly p95: number
  readonly worst: number
  readonly frames: number
  /** CPU time of the page's thread, a frame. */
  readonly work: number
}

const budget = { p50: 1.5, p95: 3 }
const browser = await openBrowser()
const house = await startJobHouse({ environment: { SPILLWAY_FETCH_MIN_AGE_SECONDS: '0' } })
const zonePath = (path: string) => `${house.service.url}/console/zones/${house.zone}/${path}`
try {
  const page = await browser.enter(house)
  const empty = await scrollNothing(page)
  console.log(`an empty page       ${say(empty)}`)
  for (const [name, scroll] of [
    ['1,000 rules', scrollRules],
    ['1,000 jobs', scrollJobs],
    ['2,000 records', scrollRecords],
  ] as const) {
    const frames = await scroll(page)
    const [p50, p95] = [frames.p50 / empty.p50, frames.p95 / empty.p95]
    const isMet = p50 <= budget.p50 && p95 <= budget.p95
    console.log(
      `${name.padEnd(20)}${say(frames)}  ×${p50.toFixed(2)} ×${p95.toFixed(2)} ${isMet ? 'within' : 'beyond'} the budget`,
    )
    if (!isMet) process.exitCode = 1
  }
} finally {
  await browser.close()
  await house.stop()
}

function say({ p50, p95, worst, frames, work }: Frames): string {
  const ms = (value: number) => value.toFixed(1).padStart(6)
  return `p50 ${ms(p50)}  p95 ${ms(p95)}  worst ${ms(worst)} ms in ${frames} frames, ${ms(work)} ms of CPU each`
}

async function scrollNothing(page: Page): Promise<Frames> {
  const empty = await page.context().newPage()
  await empty.setContent('<!doctype html><div style="height: 60000px"></div>')
  const frames = await frameTimes(empty)
  await empty.close()
  return frames
}

async function scrollRules(page: Page): Promise<Frames> {
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

async function scrollJobs(page: Page): Promise<Frames> {
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

async function scrollRecords(page: Page): Promise<Frames> {
  const lines = Array.from({ length: 2000 }, (_, at) =>
    JSON.stringify({
      RayID: `ray${at}`,
      ClientIP: `192.0.2.${at % 250}`,
      ClientRequestHost: 'www.example.com',
      ClientRequestURI: `/shop/${at}`,
      ClientRequestUserAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36',
      EdgeResponseStatus: 200,
      EdgeStartTimestamp: new Date().toISOString(),
    }),
  )
  await house.client.call(logs.ingest, {
    scope: house.zoneScope,
    params: { dataset: 'http_requests' },
    body: Buffer.from(lines.join('\n')),
  })
  await page.goto(zonePath('logs'))
  await page.getByLabel('At most').selectOption('2000')
  await page.waitForTimeout(3_000)
  await page.getByRole('button', { name: 'Query', exact: true }).last().click()
  await page.getByRole('heading', { name: /^2,000 records/ }).waitFor()
  return frameTimes(page, '.records')
}

/** Scrolls the page, or something in it, from top to end in steps and tells how long each frame took. */
async function frameTimes(page: Page, within?: string): Promise<Frames> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
  const workSoFar = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000
  }
  const before = await workSoFar()
  const frames = (await page.evaluate(`new Promise((resolve) => {
    const scroller = ${within === undefined ? 'document.scrollingElement' : `document.querySelector('${within}')`}
    scroller.scrollIntoView()
    const times = []
    let before = performance.now()
    const step = (now) => {
      times.push(now - before)
      before = now
      scroller.scrollTop += 240
      const isDone = scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 2 || times.length >= 400
      if (!isDone) return requestAnimationFrame(step)
      const sorted = times.slice(1).sort((a, b) => a - b)
      const at = (share) => sorted[Math.floor((sorted.length - 1) * share)]
      resolve({ p50: at(0.5), p95: at(0.95), worst: at(1), frames: sorted.length })
    }
    requestAnimationFrame(step)
  })`)) as Omit<Frames, 'work'>
  const work = (await workSoFar()) - before
  await devtools.detach()
  return { ...frames, work: work / frames.frames }
}
