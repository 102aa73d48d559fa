/**
 * Live tail: sessions that show the records of a scope as they become durable. Decision 0020 says why they are read from
 * the store, a moment behind, and not caught on their way in.
 *
 * A session is made with nobody reading. It is read by the first reader that joins, in steps of half a second, up to
 * the watermark, while anybody is there. It is over an hour after it was made, five minutes after the last reader left,
 * or when another takes its place. It lives in this process and ends with it.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, type Log, type Nanos, Problem, problems, type Scope, second } from '../base/index.ts'
import type { Dataset, Selection } from '../datasets/index.ts'
import { countRecords, type ScanNeeds, scan } from './scan.ts'
import type { Window } from './select.ts'
import type { Watermark } from './watermark.ts'

export type TailNeeds = ScanNeeds & {
  readonly watermark: Pick<Watermark, 'read'>
  readonly now: Clock
  readonly log: Log
}

/** Whoever reads a session. It is never sent more while much of what it was sent has not left yet. */
export type TailReader = {
  /** Bytes that were sent and have not left. */
  waiting(): number
  send(frame: Buffer): void
  end(reason: string): void
}

/** What a session shows, with the words in which it was asked for. */
export type TailAsked = {
  readonly dataset: Dataset
  readonly selection: Selection
  readonly fields: string
  readonly sample: number
  readonly filter: string
}

export type TailSession = TailAsked & { readonly id: string; readonly scope: Scope }

export type Tails = {
  /**
   * Takes the place of a session that nobody reads; refused while somebody does. Before every step it is asked whether
   * the session may go on.
   */
  open(scope: Scope, asked: TailAsked, mayGoOn?: () => Promise<boolean>): TailSession
  /** The one session of a scope, or none. */
  list(scope: Scope): readonly TailSession[]
  /** Throws a problem when there is no such session, or when too many come to it. */
  admit(id: string): void
  /** Undefined when the session has ended meanwhile. To be called when the reader goes. */
  join(id: string, reader: TailReader): (() => void) | undefined
  close(): void
}

type Seat = { readonly reader: TailReader; dropped: number }

type Session = TailSession & {
  readonly openedAt: Nanos
  readonly seats: Set<Seat>
  readonly over: AbortController
  readonly mayGoOn: () => Promise<boolean>
  arrivals: readonly Nanos[]
  emptySince: Nanos
  isFollowed: boolean
}

export const tailLimits = {
  lifeSeconds: 60 * 60,
  emptySeconds: 5 * 60,
  readers: 5,
  arrivalsPerMinute: 20,
  stepMs: 500,
  /** Per step; what is beyond is counted and left out. */
  records: 2000,
  bytes: 1 << 20,
} as const

export function makeTails(
  needs: TailNeeds,
  limits: { readonly [name in keyof typeof tailLimits]: number } = tailLimits,
): Tails {
  const sessions = new Map<string, Session>()
  const since = (moment: Nanos, seconds: number): boolean => needs.now() - moment >= BigInt(seconds) * second
  const isOver = ({ openedAt, seats, emptySince }: Session): boolean =>
    since(openedAt, limits.lifeSeconds) || (seats.size === 0 && since(emptySince, limits.emptySeconds))

  const end = (session: Session, reason: string): void => {
    sessions.delete(session.id)
    session.over.abort()
    for (const { reader } of session.seats) reader.end(reason)
    session.seats.clear()
  }
  const endThoseOver = (): void => {
    for (const session of sessions.values()) if (isOver(session)) end(session, 'the session is over')
  }
  const sessionsOf = (scope: Scope) => [...sessions.values()].filter((session) => session.scope.id === scope.id)

  const find = (id: string): Session | undefined => {
    endThoseOver()
    return sessions.get(id)
  }

  const follow = async (session: Session): Promise<void> => {
    let from = needs.watermark.read()
    while (session.seats.size > 0) {
      await sleep(limits.stepMs, undefined, { signal: session.over.signal })
      if (isOver(session)) return end(session, 'the session is over')
      if (!(await session.mayGoOn())) return end(session, 'its credential may not read these records any more')
      const to = needs.watermark.read()
      if (to <= from) continue
      if (await isDone(step(needs, limits, session, { from, to }))) from = to
    }
  }

  return {
    open(scope, asked, mayGoOn = async () => true) {
      endThoseOver()
      for (const session of sessionsOf(scope)) {
        if (session.seats.size > 0) throw problems.tailTaken()
        end(session, 'another session was opened')
      }
      const now = needs.now()
      const session: Session = {
        ...asked,
        scope,
        id: randomBytes(32).toString('hex'),
        openedAt: now,
        seats: new Set(),
        over: new AbortController(),
        mayGoOn,
        arrivals: [],
        emptySince: now,
        isFollowed: false,
      }
      sessions.set(session.id, session)
      return session
    },

    list(scope) {
      endThoseOver()
      return sessionsOf(scope)
    },

    admit(id) {
      const session = find(id)
      if (!session) throw problems.tailMissing()
      session.arrivals = session.arrivals.filter((arrival) => !since(arrival, 60))
      const isCrowded = session.seats.size >= limits.readers || session.arrivals.length >= limits.arrivalsPerMinute
      if (isCrowded) throw problems.busy('too many connections to this session; wait a minute', 60)
      session.arrivals = [...session.arrivals, needs.now()]
    },

    join(id, reader) {
      const session = find(id)
      if (!session) return undefined
      const seat: Seat = { reader, dropped: 0 }
      session.seats.add(seat)
      if (!session.isFollowed) {
        session.isFollowed = true
        follow(session)
          .catch((error) => {
            if (session.over.signal.aborted) return
            needs.log.error({ err: error }, 'a live tail broke off')
            end(session, 'the records cannot be read just now; open another session')
          })
          .finally(() => {
            session.isFollowed = false
          })
      }
      return () => {
        session.seats.delete(seat)
        if (session.seats.size === 0) session.emptySince = needs.now()
      }
    },

    close() {
      for (const session of [...sessions.values()]) end(session, 'the service is going down')
    },
  }
}

/** A store that is away comes back; the next step goes on from where this one began. */
async function isDone(work: Promise<void>): Promise<boolean> {
  try {
    await work
    return true
  } catch (error) {
    if (error instanceof Problem && error.retryAfter !== undefined) return false
    throw error
  }
}

type Limits = { readonly records: number; readonly bytes: number }

/** One step: what came in goes to the readers that keep up; to the others it is counted. */
async function step(needs: TailNeeds, limits: Limits, session: Session, window: Window): Promise<void> {
  const { scope, dataset, selection, over } = session
  const count = () => countRecords(needs, scope, dataset, window, selection)
  const keepsUp = ({ reader }: Seat) => reader.waiting() < limits.bytes
  if (![...session.seats].some(keepsUp)) {
    const missed = await count()
    for (const seat of session.seats) seat.dropped += missed
    return
  }
  const { frame, rows, isCut } = await readFrame(needs, limits, session, window, over.signal)
  if (rows === 0 && !isCut) return
  const beyond = isCut ? Math.max(0, (await count()) - rows) : 0
  for (const seat of session.seats) {
    if (!keepsUp(seat)) {
      seat.dropped += rows + beyond
      continue
    }
    if (seat.dropped > 0) seat.reader.send(Buffer.from(`{"dropped":${seat.dropped}}\n`))
    seat.dropped = beyond
    if (rows > 0) seat.reader.send(frame)
  }
}

/** The records of a step as text, up to what one step may hold. */
async function readFrame(
  needs: TailNeeds,
  limits: Limits,
  { scope, dataset, selection }: Session,
  window: Window,
  signal: AbortSignal,
): Promise<{ readonly frame: Buffer; readonly rows: number; readonly isCut: boolean }> {
  const stream = await scan(needs, scope, dataset, window, selection, { count: limits.records, signal })
  const chunks: Buffer[] = []
  let bytes = 0
  // Leaving the loop destroys the stream, and with it the query.
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > limits.bytes) break
  }
  const whole = Buffer.concat(chunks)
  const frame = whole.subarray(0, whole.subarray(0, limits.bytes).lastIndexOf(newline) + 1)
  const rows = countLines(frame)
  return { frame, rows, isCut: bytes > limits.bytes || rows === limits.records }
}

const newline = 0x0a

function countLines(text: Buffer): number {
  let lines = 0
  for (let at = text.indexOf(newline); at !== -1; at = text.indexOf(newline, at + 1)) lines += 1
  return lines
}
