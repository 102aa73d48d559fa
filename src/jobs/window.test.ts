import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { second } from '../base/index.ts'
import { backOff, cutSecondsOf, nextTurn, nextWindow, stretch, type Window } from './window.ts'

const day = 86_400n * second
const start = 20_000n * day + 3n * second

/** What may happen to a job: time passes, the clock jumps, a delivery fails, the watermark stands still. */
const happening = fc.oneof(
  fc.record({ pass: fc.bigInt({ min: 0n, max: 4n * 3600n * second }) }),
  fc.record({ jumpBack: fc.bigInt({ min: 0n, max: 3600n * second }) }),
  fc.record({ fail: fc.constant(true) }),
  fc.record({ exportOne: fc.constant(true) }),
)

test('whatever happens, the exported windows tile time without gap or overlap, and none passes the watermark', () => {
  fc.assert(
    fc.property(
      fc.array(happening, { maxLength: 60 }),
      fc.constantFrom(60, 3600, 86_400),
      fc.integer({ min: 1, max: 300 }),
      (happenings, cutSeconds, intervalSeconds) => {
        const pace = { intervalSeconds, longestSeconds: Math.max(300, intervalSeconds), cutSeconds }
        const cut = BigInt(cutSeconds) * second
        let wall = start
        let watermark = start
        let owedFrom = start
        const done: Window[] = []
        for (const one of happenings) {
          if ('pass' in one) wall += one.pass
          if ('jumpBack' in one) wall -= one.jumpBack
          // The watermark never moves back, whatever the clock does.
          if (wall > watermark) watermark = wall
          const window = nextWindow(owedFrom, watermark, pace)
          if (!window || !('exportOne' in one)) continue
          assert.ok(window.to <= watermark)
          assert.ok(window.to > window.from)
          assert.equal(window.from / cut, (window.to - 1n) / cut, 'no window crosses a cut')
          assert.ok(window.to - window.from <= BigInt(pace.longestSeconds) * second)
          done.push(window)
          owedFrom = window.to
        }
        for (const [at, window] of done.entries()) assert.equal(window.from, done[at - 1]?.to ?? start)
      },
    ),
  )
})

test('a job that is behind has its next turn at once, one that kept up waits its interval', () => {
  const pace = { intervalSeconds: 30, longestSeconds: 300, cutSeconds: 86_400 }
  const now = start + 1000n * second
  assert.equal(nextTurn(start, now, now, pace), now)
  assert.equal(nextTurn(now, now, now, pace), now + 30n * second)
})

test('a clock that was set back by an hour does not put a job to sleep for an hour', () => {
  const pace = { intervalSeconds: 30, longestSeconds: 300, cutSeconds: 86_400 }
  const to = start + 3600n * second
  assert.equal(nextTurn(to, to, start, pace), start + 30n * second)
})

test('windows are cut at the finest placeholder of the path', () => {
  assert.equal(cutSecondsOf('s3://bucket/logs?region=eu-west-1'), 86_400)
  assert.equal(cutSecondsOf('s3://bucket/logs/{DATE}?region=eu-west-1'), 86_400)
  assert.equal(cutSecondsOf('s3://bucket/{DATE}/{HOUR}?region=eu-west-1'), 3600)
  assert.equal(cutSecondsOf('s3://bucket/{DATE}/%7BMINUTE%7D?region=eu-west-1'), 60)
})

test('the back-off grows, has jitter, stays below five minutes, and honours what the destination asked for', () => {
  fc.assert(
    fc.property(fc.nat(1000), fc.double({ min: 0, max: 1, noNaN: true }), (failures, chance) => {
      const pause = backOff(failures, chance)
      assert.ok(pause >= 250 && pause <= 300_000)
      assert.ok(pause <= Math.max(250, 1000 * 2 ** failures))
      assert.ok(backOff(failures, chance, 600_000) >= 600_000)
    }),
  )
})

test('a week of silence is caught up in a few windows, a week of traffic in windows that stay small', () => {
  const pace = { intervalSeconds: 30, longestSeconds: 300, cutSeconds: 86_400 }
  const catchUp = (rowsPerSecond: number) => {
    const done: { seconds: number; rows: number }[] = []
    for (let owedFrom = start; owedFrom < start + 7n * day; ) {
      const window = nextWindow(owedFrom, start + 7n * day, stretch(pace, done.slice(-3)))
      if (!window) break
      const seconds = Number(window.to - window.from) / 1e9
      done.push({ seconds, rows: Math.round(seconds * rowsPerSecond) })
      owedFrom = window.to
    }
    return done
  }
  assert.ok(catchUp(0.001).length < 30, `${catchUp(0.001).length} windows`)
  const busy = catchUp(5_000)
  assert.ok(Math.max(...busy.slice(3).map(({ rows }) => rows)) <= 1_500_000)
  assert.ok(busy.length < 7 * 1440)
})
