/** Resting: for a while, until called off, or until a bell rings. */
import { setTimeout as wait } from 'node:timers/promises'

/** Ends early, without complaint, when the signal says so. */
export const rest = (ms: number, signal: AbortSignal): Promise<void> =>
  wait(ms, undefined, { signal }).catch(() => undefined)

export type Bell = { ring(): void; heard(withinMs: number): Promise<void> }

/** Rung while nobody listens, it is heard at the next listening. */
export function makeBell(): Bell {
  let rung = false
  let listener: AbortController | undefined
  return {
    ring() {
      rung = true
      listener?.abort()
    },
    async heard(withinMs) {
      listener = new AbortController()
      if (!rung) await rest(withinMs, listener.signal)
      rung = false
    },
  }
}
