/** Watching jobs from the command line: status, deliveries, backfill and audit, against a house that exports. */
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Terminal } from '../src/cli/index.ts'
import { type ExportHouse, eventually, rays, startExportHouse } from './journeys/export-house.ts'
import type { Job } from './journeys/job-house.ts'
import { say as sayLine } from './terminal.ts'

let house: ExportHouse
let job: Job
before(async () => {
  house = await startExportHouse()
  job = await house.toFiles('watched')
  await house.send(...rays(3))
  await eventually(async () => (await house.filed('watched')).flat().length === 3)
  await eventually(async () => (await house.status(job)).open_windows === 0)
})
after(() => house.stop())

const say = (words: readonly string[], shown: Partial<Terminal> = {}) =>
  sayLine([...words, '--data', house.data], shown)
const json = async (...words: string[]) => JSON.parse((await say([...words, '--json'])).out)
/** An hour around now, as the flags have it. */
const range = () => {
  const at = (ms: number) => new Date(Date.now() + ms).toISOString()
  return ['--start', at(-3_600_000), '--end', at(-1_000)]
}

test('status shows every job of the scope, or one, on a line each', async () => {
  const idle = await house.make('file:///unwatched')
  const { out, code } = await say(['jobs', 'status'])
  assert.equal(code, 0)
  const [head = '', ...lines] = out.split('\n')
  assert.match(head, /^JOB +STATE +BEHIND +OPEN +WAITING +NEXT TURN +LAST DELIVERY +ERROR$/)
  assert.equal(lines.length, 2)
  assert.match(lines[0] ?? '', new RegExp(`^${job.id} +(idle|at work) +`))
  assert.match(lines[1] ?? '', new RegExp(`^${idle.id} +off +- +0 +0 +- +-`))
  const [one, ...more] = await json('jobs', 'status', String(job.id))
  assert.deepEqual([one.id, one.enabled, more.length], [job.id, true, 0])
  assert.equal((await say(['jobs', 'status', '999'])).code, 1)
})

test('status can be watched until Ctrl-C, a table or a line of JSON at a time', async () => {
  for (const [words, first] of [
    [['jobs', 'status', '--watch'], '\u001b[H\u001b[JJOB  STATE'],
    [['jobs', 'status', '--watch', '--json'], '[{"id":'],
  ] as const) {
    const stop = new AbortController()
    const seen: string[] = []
    const out = (text: string) => {
      seen.push(text)
      if (seen.length === 2) stop.abort()
    }
    const { code } = await say(words, { isTerminal: true, signal: stop.signal, out })
    assert.deepEqual([code, seen.length], [0, 2])
    for (const text of seen) assert.ok(text.startsWith(first), text)
  }
})

test('deliveries are listed newest first, as many as asked for, and fit the terminal', async () => {
  const { out } = await say(['jobs', 'deliveries', String(job.id)])
  assert.match(out, /^FROM +TO +PART +ROWS +BYTES +TRIES +OUTCOME +OBJECT\n/)
  assert.match(out, /delivered +watched\//)
  assert.equal((await json('jobs', 'deliveries', String(job.id), '--limit', '1')).length, 1)
  for (const columns of [60, 80, 200]) {
    const narrow = await say(['jobs', 'deliveries', String(job.id)], { isTerminal: true, columns })
    for (const line of narrow.out.split('\n')) assert.ok(line.length <= columns, line)
  }
  const wrong = await say(['jobs', 'deliveries', String(job.id), '--limit', 'many'])
  assert.deepEqual([wrong.code, /--limit is not a number/.test(wrong.err)], [2, true])
})

test('a range is exported again, waited for, and taken back', async () => {
  const waited = await say(['jobs', 'backfill', String(job.id), ...range(), '--wait'])
  assert.equal(waited.code, 0, waited.err)
  assert.match(waited.out, /^\d+ windows were exported again\.$/)
  const again = await house.deliveries(job)
  assert.ok(again.some(({ purpose, outcome }) => purpose === 'backfill' && outcome === 'delivered'))
  const queued = await say(['jobs', 'backfill', String(job.id), ...range()])
  assert.match(queued.out, new RegExp(`^\\d+ windows wait; "spillway jobs status ${job.id}" shows them go\\.$`))
  assert.match((await say(['jobs', 'backfill', String(job.id), '--cancel'])).out, /^\d+ windows were taken back\.$/)
  const bare = await say(['jobs', 'backfill', String(job.id)])
  assert.deepEqual([bare.code, /say --start and --end/.test(bare.err)], [2, true])
})

test('an audit ends with 0 when nothing is missing, and with 1 when an object has gone', async () => {
  await eventually(async () => (await house.status(job)).waiting_windows === 0)
  const whole = await say(['jobs', 'audit', String(job.id), ...range()])
  assert.equal(whole.code, 0, `${whole.out}${whole.err}`)
  assert.match(whole.out, /^3 records stored, 3 delivered\./)
  assert.match(whole.out, /Nothing is missing\.$/)
  await rm(join(house.fileRoot, 'watched'), { recursive: true })
  const gone = await say(['jobs', 'audit', String(job.id), ...range()])
  assert.equal(gone.code, 1)
  assert.match(gone.out, /gone or changed: watched\//)
  const mended = await say(['jobs', 'audit', String(job.id), ...range(), '--repair'])
  assert.equal(mended.code, 0, mended.err)
  await eventually(async () => (await house.filed('watched')).flat().length === 3)
})
