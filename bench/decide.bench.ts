/**
 * How fast are requests decided for an edge? Budgets: /edge/decide with 100 rules, through HTTP with kept connections, makes
 * 5,000 decisions a second on one core with p99 under 5 ms, and the memory of the service stays flat.
 *
 * The service runs in a process of its own and is measured by the CPU time that it used, because this machine's other core
 * belongs to the client; the rate is decisions per CPU-second. Memory is read after a warm-up, in the middle and at the
 * end, each time after garbage collection; the heap's growth is scaled up to a million decisions.
 *
 * `node bench/decide.bench.ts 1000000` makes a million; without a number it is a tenth of that.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Pool } from 'undici'
import { access, rulesets } from '../src/contract/index.ts'
import { startHouse } from '../test/house.ts'

type Usage = { readonly cpuSeconds: number; readonly heapBytes: number; readonly rssBytes: number }
type Place = { readonly port: number; readonly path: string; readonly token: string }

const decisions = Number(process.argv[2] ?? 100_000)
const atOnce = 16

if (process.send) await serve()
else await measure()

/** The child: a house with 100 rules, none of which matches, so that every one is looked at. */
async function serve(): Promise<void> {
  const house = await startHouse({ environment: { SPILLWAY_LOG_LEVEL: 'warn' } })
  const rules = Array.from({ length: 100 }, (_, number) => ({
    action: 'block',
    expression: `http.request.uri.path contains "/secret-${number}/" and not ip.src in {10.${number}.0.0/16 192.0.2.${number}}`,
  }))
  await house.client.call(rulesets.updateEntryPoint, {
    scope: house.zoneScope,
    params: { phase: 'http_request_firewall_custom' },
    body: { rules },
  })
  const { value = '' } = await house.client.call(access.createToken, {
    scope: house.accountScope,
    body: { name: 'bench', permissions: ['edge:decide'], zones: [house.zone] },
  })
  const port = Number(new URL(house.service.url).port)
  process.send?.({ port, path: `/v4/zones/${house.zone}/edge/decide`, token: value } satisfies Place)
  const end = () => void house.stop().then(() => process.exit(0))
  // Also when whoever measures was stopped half way.
  process.once('disconnect', end)
  process.on('message', (word) => {
    if (word !== 'usage') return process.disconnect()
    globalThis.gc?.()
    const { user, system } = process.cpuUsage()
    const { heapUsed, rss } = process.memoryUsage()
    process.send?.({ cpuSeconds: (user + system) / 1e6, heapBytes: heapUsed, rssBytes: rss } satisfies Usage)
  })
}

async function measure(): Promise<void> {
  const child = fork(import.meta.filename, { execArgv: ['--expose-gc'] })
  const [place] = (await once(child, 'message')) as [Place]
  const usage = async (): Promise<Usage> => {
    child.send('usage')
    return (await once(child, 'message'))[0] as Usage
  }
  const pool = new Pool(`http://127.0.0.1:${place.port}`, { connections: atOnce, pipelining: 1 })
  const ask = async (number: number) => {
    const { statusCode, body } = await pool.request({
      path: place.path,
      method: 'GET',
      headers: {
        authorization: `Bearer ${place.token}`,
        'x-forwarded-uri': `/items/${number}?page=2&sort=price`,
        'x-forwarded-method': 'GET',
        'x-forwarded-proto': 'https',
        'x-forwarded-host': 'shop.example.com',
        'x-forwarded-for': `203.0.113.${number % 256}`,
        'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)',
      },
    })
    if (statusCode !== 200) throw new Error(`answered ${statusCode}`)
    await body.dump()
  }
  const run = async (count: number, lanes: number): Promise<Float64Array> => {
    const times = new Float64Array(count)
    let next = 0
    const lane = async () => {
      while (next < count) {
        const number = next++
        const begun = performance.now()
        await ask(number)
        times[number] = performance.now() - begun
      }
    }
    await Promise.all(Array.from({ length: lanes }, lane))
    return times.sort()
  }

  await run(20_000, atOnce)
  const before = await usage()
  const begun = performance.now()
  await run(decisions / 2, atOnce)
  const middle = await usage()
  await run(decisions / 2, atOnce)
  const seconds = (performance.now() - begun) / 1000
  const after = await usage()
  // Waiting in a queue of one's own making is no latency of the service: asked one after the other.
  const alone = await run(20_000, 1)

  const rate = decisions / (after.cpuSeconds - before.cpuSeconds)
  const at = (share: number) => alone[Math.floor(alone.length * share)] ?? 0
  const grown = ((after.heapBytes - before.heapBytes) / decisions) * 1e6
  const mb = (bytes: number) => (bytes / 1e6).toFixed(1)
  console.log(`${decisions} decisions, 100 rules, ${atOnce} connections`)
  console.log(`decisions per CPU-second of the service    ${rate.toFixed(0)}  (budget 5000)`)
  console.log(`decisions per second on the clock          ${(decisions / seconds).toFixed(0)}`)
  console.log(`one after the other: p50 ${at(0.5).toFixed(2)} ms  p99 ${at(0.99).toFixed(2)} ms  (budget p99 5 ms)`)
  for (const [when, { heapBytes, rssBytes }] of Object.entries({ before, middle, after }))
    console.log(`${when.padEnd(8)} heap ${mb(heapBytes)} MB  resident ${mb(rssBytes)} MB`)
  console.log(`growth of the heap, scaled to a million     ${mb(grown)} MB  (budget 20 MB)`)
  const missed = [
    ...(rate < 5000 ? ['rate'] : []),
    ...(at(0.99) > 5 ? ['p99'] : []),
    ...(grown > 20e6 ? ['memory'] : []),
  ]
  console.log(missed.length === 0 ? '\nevery budget is met' : `\nmissed budgets: ${missed.join(', ')}`)
  process.exitCode = missed.length === 0 ? 0 : 1
  await pool.close()
  child.send('stop')
}
