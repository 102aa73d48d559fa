/**
 * Words between the processes on one PostgreSQL, by LISTEN and NOTIFY, over a connection of its own. Told to whoever listens
 * now and written nowhere, so only for hints that may be lost: what must be known is read from a table.
 */
import pg from 'pg'
import type { Bus, Log } from '../base/index.ts'

export type OpenBus = Bus & { close(): Promise<void> }

export type BusNeeds = {
  readonly url: string
  readonly log: Log
  /** Unique to this process: its own words come back to it, and are not heard. */
  readonly holder: string
}

const channel = 'spillway'
const againMs = 1_000

export function openBus({ url, log, holder }: BusNeeds): OpenBus {
  const listeners: ((words: string) => void)[] = []
  let client: pg.Client | undefined
  let isClosed = false
  /** Said once, not at every try. */
  let isMissed = false
  let timer: NodeJS.Timeout | undefined

  async function connect(): Promise<void> {
    const made = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      application_name: 'spillway bus',
    })
    made.on('notification', ({ payload = '' }) => {
      const blank = payload.indexOf(' ')
      if (payload.slice(0, blank) === holder) return
      for (const listen of listeners) listen(payload.slice(blank + 1))
    })
    let isGone = false
    const again = (error?: Error) => {
      if (isGone) return
      isGone = true
      if (client === made) client = undefined
      made.end().catch(() => {})
      if (isClosed) return
      if (!isMissed)
        log.warn({ err: error }, 'the other processes are out of touch; counts are not shared until they are back')
      isMissed = true
      timer = setTimeout(() => void connect(), againMs)
    }
    made.on('error', again).on('end', () => again())
    try {
      await made.connect()
      await made.query(`listen ${channel}`)
      client = made
      isMissed = false
      if (isClosed) await made.end()
    } catch (error) {
      again(error as Error)
    }
  }
  const connected = connect()

  return {
    async tell(words) {
      if (words.length === 0) return
      // In one statement, so in one commit: PostgreSQL lets only one transaction with a NOTIFY commit at a time.
      await client
        ?.query('select pg_notify($1, word) from unnest($2::text[]) as word', [
          channel,
          words.map((word) => `${holder} ${word}`),
        ])
        .catch(() => {})
    },
    hear: (listen) => void listeners.push(listen),
    async close() {
      isClosed = true
      clearTimeout(timer)
      await connected
      await client?.end().catch(() => {})
    },
  }
}
