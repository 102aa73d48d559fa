/** The watermark's promises: it never moves back, no later stamp is behind it, and it waits for inserts under way. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { second } from '../base/index.ts'
import { type Floors, makeWatermark } from './watermark.ts'

test('an insert that is held open holds the watermark; let go, it moves on', () => {
  let now = 100n
  const watermark = makeWatermark(() => now)
  const held = watermark.stamp()
  now = 500n
  const quick = watermark.stamp()
  quick.settle()
  assert.equal(watermark.read(), held.at)
  held.settle()
  assert.equal(watermark.read(), 501n)
})

test('whatever the clock does, stamps grow, the watermark never moves back, and no stamp falls behind it', () => {
  const step = fc.oneof(
    fc.record({ clock: fc.bigInt({ min: -5000n, max: 5000n }) }),
    fc.constantFrom('stamp' as const, 'read' as const),
    fc.record({ settle: fc.nat(10) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      let now = 1_000_000n
      const watermark = makeWatermark(() => now, { atLeast: 1_000_500n })
      const open: ReturnType<typeof watermark.stamp>[] = []
      let lastStamp = 1_000_500n
      let lastRead = 0n
      for (const each of steps) {
        if (each === 'stamp') {
          const stamp = watermark.stamp()
          assert.ok(stamp.at > lastStamp && stamp.at >= now && stamp.at >= lastRead)
          lastStamp = stamp.at
          open.push(stamp)
        } else if (each === 'read') {
          const read = watermark.read()
          assert.ok(read >= lastRead && open.every(({ at }) => at >= read))
          lastRead = read
        } else if ('clock' in each) now += each.clock
        else open.splice(each.settle, 1)[0]?.settle()
      }
    }),
  )
})

/** Floors in memory; the clock of each node is its own. */
function makeBoard() {
  const floors = new Map<string, bigint>()
  const of = (node: string): Floors => ({
    publish: async (floor) => void floors.set(node, floor),
    read: async () => [...floors.values()],
  })
  return { floors, of }
}

test('in a cluster the slowest insert of any node holds the watermark of all', async () => {
  const board = makeBoard()
  let now = 10n * second
  const [a, b] = ['a', 'b'].map((node) => makeWatermark(() => now, { floors: board.of(node) })) as [
    ReturnType<typeof makeWatermark>,
    ReturnType<typeof makeWatermark>,
  ]
  await a.exchange()
  await b.exchange()
  const held = b.stamp()
  now += 5n * second
  await b.exchange()
  await a.exchange()
  assert.equal(a.read(), held.at)
  held.settle()
  await b.exchange()
  await a.exchange()
  assert.ok(a.read() >= now)
})

test('a node that joins with a slow clock stamps nothing behind what was given out', async () => {
  const board = makeBoard()
  const early = makeWatermark(() => 100n * second, { floors: board.of('early') })
  await early.exchange()
  const given = early.read()
  const late = makeWatermark(() => 40n * second, { floors: board.of('late') })
  await late.exchange()
  assert.ok(late.stamp().at > given)
})

test('a node that cannot publish takes no records', async () => {
  let now = 10n * second
  const board = makeBoard()
  const node = makeWatermark(() => now, { floors: board.of('a'), leaseSeconds: 30 })
  assert.throws(() => node.stamp(), { refusal: 'unavailable' })
  await node.exchange()
  node.stamp().settle()
  now += 16n * second
  assert.throws(() => node.stamp(), { refusal: 'unavailable' })
})
