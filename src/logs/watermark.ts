/**
 * Received time, and how far it is settled.
 *
 * A batch is stamped before it is inserted. Stamps grow strictly and are never behind the wall clock. While an insert is
 * under way its stamp is a floor: nothing at or after it may be read as complete. The watermark is the oldest floor, or
 * now. It never moves back, and no later stamp is ever behind it.
 *
 * In a cluster every ingest node publishes its floor with a lease and reads the others'; the watermark is the least of
 * the published floors that are alive. A node that could not publish for most of a lease must not stamp: the others may
 * already have gone past its floor.
 */
import { type Clock, type Nanos, problems, second } from '../base/index.ts'

export type Stamp = {
  readonly at: Nanos
  /** The insert has ended: committed, or certain never to be. */
  settle(): void
}

export type Watermark = {
  stamp(): Stamp
  /** Everything received before it is there, for good. */
  read(): Nanos
  /** The newest stamp since the start; undefined in a cluster, where others stamp too. */
  newest(): Nanos | undefined
  /** Publishes this node's floor and learns the others'; to be called about once a second in a cluster. */
  exchange(): Promise<void>
}

/** The floors of all nodes, in the metadata database. A node whose lease has run out is not listed. */
export type Floors = {
  publish(floor: Nanos, leaseSeconds: number): Promise<void>
  /** Published floors that are alive, this node's own among them. */
  read(): Promise<readonly Nanos[]>
}

export type WatermarkOptions = {
  /** No stamp may be behind it: the newest stamp in the store, and the end of the last exported window. */
  readonly atLeast?: Nanos
  readonly floors?: Floors
  readonly leaseSeconds?: number
}

export function makeWatermark(now: Clock, options: WatermarkOptions = {}): Watermark {
  const { floors, leaseSeconds = 30 } = options
  /** The highest instant that was stamped or given out as settled. */
  let high = options.atLeast ?? 0n
  let newest = 0n
  const inFlight = new Set<Nanos>()
  /** What the cluster was told last, when, and what it has settled. */
  let publishedAt: Nanos | undefined
  let settled = 0n

  const floor = (): Nanos => {
    // Insertion order is the order of stamps, so the first is the oldest.
    const [oldest] = inFlight
    if (oldest !== undefined) return oldest
    const wall = now()
    return wall > high ? wall : high + 1n
  }
  /** A floor that others may rely on: from now on no stamp is behind it. */
  const giveFloor = (): Nanos => {
    const given = floor()
    if (given > high) high = given
    return given
  }

  return {
    stamp() {
      if (floors && (publishedAt === undefined || now() - publishedAt > (BigInt(leaseSeconds) * second) / 2n))
        throw problems.unavailable('This node has lost touch with the metadata database and cannot take records')
      const wall = now()
      const at = wall > high ? wall : high + 1n
      high = at
      newest = at
      inFlight.add(at)
      return { at, settle: () => void inFlight.delete(at) }
    },
    read: () => (floors ? settled : giveFloor()),
    newest: () => (floors ? undefined : newest),
    async exchange() {
      if (!floors) return
      const asked = now()
      if (publishedAt === undefined) await join(floors)
      await floors.publish(giveFloor(), leaseSeconds)
      publishedAt = asked
      const alive = await floors.read()
      const [least = 0n] = alive.toSorted((a, b) => (a < b ? -1 : 1))
      if (least > settled) settled = least
    },
  }

  /**
   * A newcomer's clock may be behind. It first publishes a floor of nothing, which stops the others' watermark, and then
   * starts above every floor it reads: none of them can have given out more than it had published.
   */
  async function join({ publish, read }: Floors): Promise<void> {
    await publish(0n, leaseSeconds)
    for (const published of await read()) if (published > high) high = published
  }
}
