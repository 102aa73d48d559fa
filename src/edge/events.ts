/**
 * Firewall events of decisions, on their way into the records of the zone: noted in memory while a request is decided,
 * written in batches a moment later. The queue is bounded; past its end events are dropped and counted, so that a store
 * that does not answer costs events and never decisions. A batch whose insert failed is tried again, at least once each.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Log, Metrics, Scope } from '../base/index.ts'
import { append, type LogNeeds } from '../logs/index.ts'
import type { Decision, EdgeRequest } from '../rulesets/index.ts'
import { type EventRecord, eventsOf, lineOf } from './event.ts'

export type Events = {
  note(scope: Scope, request: EdgeRequest, decision: Decision, zoneName: string): void
  /** Resolves when all that was noted is written, or given up. */
  close(): Promise<void>
}

type Needs = { readonly logs: LogNeeds; readonly log: Log; readonly metrics: Metrics }

type Limits = { readonly most?: number; readonly everyMs?: number; readonly giveUpMs?: number }

type Noted = { readonly scope: Scope; readonly events: EventRecord[] }

export function makeEvents(
  { logs, log, metrics }: Needs,
  { most = 50_000, everyMs = 250, giveUpMs = 5_000 }: Limits = {},
): Events {
  let noted = new Map<string, Noted>()
  let size = 0
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined
  let closedAt: number | undefined

  const isOutOfTime = () => closedAt !== undefined && Date.now() - closedAt > giveUpMs

  async function write({ scope, events }: Noted): Promise<void> {
    const dataset = logs.datasets.find('firewall_events', scope.kind)
    if (!dataset) return
    const bytes = Buffer.from(events.map(lineOf).join(''))
    for (;;) {
      try {
        const { accepted, rejected } = await append(logs, scope, dataset, once(bytes))
        metrics.edgeEvents.inc({ outcome: 'written' }, accepted)
        if (rejected > 0) metrics.edgeEvents.inc({ outcome: 'refused' }, rejected)
        return
      } catch (error) {
        log.warn({ err: error, zone: scope.id, events: events.length }, 'firewall events could not be written')
        if (isOutOfTime()) {
          metrics.edgeEvents.inc({ outcome: 'dropped' }, events.length)
          return
        }
        await wait(closedAt === undefined ? 1_000 : 100)
      }
    }
  }

  /** Zones together: their inserts share one commit. What is noted meanwhile waits for the next round. */
  async function writeAll(): Promise<void> {
    while (size > 0) {
      const batch = noted
      noted = new Map()
      await Promise.all([...batch.values()].map(write))
      for (const { events } of batch.values()) size -= events.length
      if (closedAt === undefined) break
    }
  }

  function begin(): void {
    timer = undefined
    writing ??= writeAll().finally(() => {
      writing = undefined
      if (size > 0 && closedAt === undefined) schedule()
    })
  }

  const schedule = () => {
    timer ??= setTimeout(begin, everyMs)
  }

  return {
    note(scope, request, decision, zoneName) {
      if (!decision.matches.some((match) => match.logs)) return
      const events = eventsOf(request, decision, zoneName)
      if (size + events.length > most || closedAt !== undefined) {
        metrics.edgeEvents.inc({ outcome: 'dropped' }, events.length)
        return
      }
      size += events.length
      const zone = noted.get(scope.id)
      if (zone) zone.events.push(...events)
      else noted.set(scope.id, { scope, events })
      if (!writing) schedule()
    },
    async close() {
      closedAt = Date.now()
      clearTimeout(timer)
      await writing
      begin()
      await writing
    },
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
