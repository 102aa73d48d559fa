/**
 * How fast are large rulesets written, read and run? Budgets: a PUT of 1,000 rules in 150 ms and a GET of them in 20 ms,
 * through HTTP; 100 rules and the starter set of managed rules decide a request in 200 us each, on one core.
 */
import { rulesets } from '../src/contract/index.ts'
import { commonProtection, deploy, evaluate, makeCounters, type Rule, readRequest } from '../src/rulesets/index.ts'
import { startHouse } from '../test/house.ts'

const missed: string[] = []

function tell(what: string, times: readonly number[], budget: number, unit: string): void {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  console.log(
    `${what.padEnd(44)} p50 ${at(0.5).toFixed(1)} ${unit}  p99 ${at(0.99).toFixed(1)} ${unit}  (budget ${budget} ${unit})`,
  )
  if (at(0.5) > budget) missed.push(what)
}

async function timed(runs: number, work: (run: number) => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  for (let run = 0; run < runs; run++) {
    const begun = performance.now()
    await work(run)
    times.push(performance.now() - begun)
  }
  return times
}

const house = await startHouse()
const call = { scope: house.zoneScope, params: { phase: 'http_request_firewall_custom' } }
const rules = Array.from({ length: 1000 }, (_, number) => ({
  ref: `rule-${number}`,
  action: 'block',
  expression: `http.request.uri.path contains "/secret-${number}/" and not ip.src in {10.${number % 256}.0.0/16 192.0.2.${number % 256}}`,
  description: `Rule number ${number}`,
}))
const put = (run: number) =>
  house.client.call(rulesets.updateEntryPoint, {
    ...call,
    body: { rules: rules.map((rule) => ({ ...rule, description: `${rule.description}, run ${run}` })) },
  })
await timed(3, put)
tell('PUT of 1,000 rules, each changed', await timed(20, put), 150, 'ms')
tell('GET of 1,000 rules', await timed(50, () => house.client.call(rulesets.viewEntryPoint, call)), 20, 'ms')
await house.stop()

const stored = (rule: object, id: number): Rule =>
  ({ id: String(id), ref: String(id), version: '1', last_updated: '', description: '', enabled: true, ...rule }) as Rule
const ruleset = (kind: 'zone' | 'managed', phase: string, all: readonly object[]) => ({
  id: kind,
  name: kind,
  description: '',
  kind,
  phase,
  version: '1',
  last_updated: '',
  rules: all.map(stored),
})

const request = readRequest(
  {
    method: 'GET',
    url: 'https://shop.example.com/items/42?page=2&sort=price',
    headers: { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64)', Accept: '*/*', Cookie: 'session=abc; theme=dark' },
    ip: '203.0.113.77',
  },
  { at: 0n, id: 'bench' },
)
if (!request.ok) throw new Error('the request of the bench is not one')

const managed = ruleset('managed', 'http_request_firewall_managed', commonProtection.rules)
const deployments = {
  '100 custom rules': [ruleset('zone', 'http_request_firewall_custom', rules.slice(0, 100))],
  [`${commonProtection.rules.length} managed rules`]: [
    ruleset('zone', 'http_request_firewall_managed', [
      { action: 'execute', expression: 'true', action_parameters: { id: managed.id } },
    ]),
  ],
}
for (const [what, zone] of Object.entries(deployments)) {
  const begun = performance.now()
  const deployment = deploy({
    account: [],
    zone,
    find: () => managed,
    lists: () => undefined,
    redirectFrom: () => undefined,
  })
  console.log(`${`${what}: made ready`.padEnd(44)} ${(performance.now() - begun).toFixed(1)} ms`)
  const counters = makeCounters()
  const batch = 200
  const times: number[] = []
  for (let round = 0; round < 60; round++) {
    const from = performance.now()
    for (let run = 0; run < batch; run++) evaluate(deployment, request.value, { counters })
    if (round >= 10) times.push(((performance.now() - from) / batch) * 1000)
  }
  tell(`${what}: one decision`, times, 200, 'us')
}

console.log(missed.length === 0 ? '\nevery budget is met' : `\nmissed budgets: ${missed.join(', ')}`)
process.exitCode = missed.length === 0 ? 0 : 1
