/** Records of the zone as they come in; paused, they wait, and the page stays as it is. */
import { useEffect, useMemo, useRef, useState } from 'react'
import { tail } from '../../../src/contract/index.ts'
import { useAction } from '../asking.ts'
import { count, counted } from '../format.ts'
import { useFields } from '../jobs/fields.ts'
import { FilterBuilder } from '../jobs/filter-builder.tsx'
import { Button } from '../parts/button.tsx'
import { BarChart } from '../parts/charts.tsx'
import { Notice, Problem } from '../parts/notice.tsx'
import { Badge, Card, Empty } from '../parts/page.tsx'
import { useSession } from '../session.tsx'
import { type LogRecord, readLines } from './fetch-records.ts'
import { RecordTable } from './record-table.tsx'

const mostShown = 300
const seconds = 60
const timeField = 'EdgeStartTimestamp'

type Arrived = { readonly at: number; readonly records: readonly LogRecord[] }

export function LiveTail() {
  const { client, place } = useSession()
  const { fields } = useFields('http_requests')
  const [filter, setFilter] = useState('')
  const [shown, setShown] = useState<readonly LogRecord[]>([])
  const [isPaused, setPaused] = useState(false)
  const [ended, setEnded] = useState<string>()
  const [socket, setSocket] = useState<WebSocket>()
  const [rates, setRates] = useState<readonly Arrived[]>([])
  const waiting = useRef<LogRecord[]>([])

  const start = useAction(async () => {
    const body = filter === '' ? {} : { filter }
    const session = await client.call(tail.openTail, { scope: { zone: place.id }, body })
    // The service knows itself by the name it was called; a proxy in between is known by this page's address.
    const address = new URL(session.destination_conf)
    address.host = location.host
    address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:'
    const opened = new WebSocket(address)
    opened.onmessage = ({ data }) => {
      const records = readLines(String(data))
      waiting.current.push(...records)
      setRates((before) => [
        ...before.filter(({ at }) => at > Date.now() - seconds * 1000),
        { at: Date.now(), records },
      ])
    }
    opened.onclose = ({ reason }) => {
      setSocket(undefined)
      setEnded(reason || 'The connection ended.')
    }
    setEnded(undefined)
    setSocket(opened)
  })
  useEffect(() => () => socket?.close(), [socket])

  // Drawn four times a second at most, however fast records arrive.
  useEffect(() => {
    if (!socket || isPaused) return
    const timer = setInterval(() => {
      const fresh = waiting.current.splice(0).reverse()
      if (fresh.length > 0) setShown((before) => [...fresh, ...before].slice(0, mostShown))
    }, 250)
    return () => clearInterval(timer)
  }, [socket, isPaused])

  const bars = useMemo(() => perSecond(rates), [rates])
  return (
    <>
      <Card
        title="Live tail of http_requests"
        aside={
          <span className="row">
            {socket && <Badge tone={isPaused ? 'warn' : 'good'}>{isPaused ? 'paused' : 'live'}</Badge>}
            {socket ? (
              <>
                <Button onClick={() => setPaused(!isPaused)}>{isPaused ? 'Go on' : 'Pause'}</Button>
                <Button onClick={() => socket.close()}>Stop</Button>
              </>
            ) : (
              <Button tone="main" isBusy={start.isRunning} onClick={() => void start.run()}>
                Start
              </Button>
            )}
          </span>
        }
      >
        <Problem error={start.error} />
        {!socket && <FilterBuilder fields={fields.all} filter={filter} onChange={setFilter} />}
        {ended && !socket && <Notice>{ended}</Notice>}
        {socket && bars.length > 0 && (
          <BarChart
            bars={bars}
            label={`Records per second, last ${seconds} seconds`}
            say={(many) => `${count(many)}/s`}
          />
        )}
      </Card>
      {shown.length > 0 && <RecordTable records={shown} columns={[]} timeField={timeField} />}
      {socket && shown.length === 0 && (
        <div className="card">
          <Empty title="Waiting for records…" />
        </div>
      )}
      {shown.length > 0 && (
        <p className="hint">
          {counted(shown.length, 'record')} shown, at most the newest {mostShown}.
        </p>
      )}
    </>
  )
}

function perSecond(rates: readonly Arrived[]) {
  if (rates.length === 0) return []
  const now = Math.floor(Date.now() / 1000)
  const counts = new Map<number, number>()
  for (const { at, records } of rates) {
    const second = Math.floor(at / 1000)
    counts.set(second, (counts.get(second) ?? 0) + records.length)
  }
  return Array.from({ length: seconds }, (_, back) => {
    const second = now - seconds + 1 + back
    return { at: new Date(second * 1000).toISOString(), value: counts.get(second) ?? 0 }
  })
}
