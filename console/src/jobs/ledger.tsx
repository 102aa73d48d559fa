/** The ledger: every part that was delivered, is waiting, or was refused, with its reason. */
import type { Envelope } from '../../../src/contract/index.ts'
import { ago, bytes, count, counted, timeOf, when } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { Problem } from '../parts/notice.tsx'
import { Badge, Card, Empty } from '../parts/page.tsx'
import { type Delivery, outcomeTone } from './job.ts'
import { useOlder } from './older.ts'

type LedgerProps = { readonly job: number; readonly newest: Envelope<readonly Delivery[]> }

export function Ledger({ job, newest }: LedgerProps) {
  const { deliveries, more } = useOlder(job, newest)
  if (deliveries.length === 0)
    return (
      <Card title="Deliveries">
        <Empty title="Nothing delivered yet">
          <p>The first delivery follows the first window that holds records of this dataset.</p>
        </Empty>
      </Card>
    )
  return (
    <>
      <LedgerTable deliveries={deliveries} />
      <Problem error={more?.error} />
      <div className="row spread">
        <span className="soft">
          {counted(deliveries.length, 'delivery', 'deliveries')}, newest first{more ? '; there are older ones' : ''}
        </span>
        {more && (
          <Button isBusy={more.isRunning} onClick={() => void more.run()}>
            Show older
          </Button>
        )}
      </div>
    </>
  )
}

function LedgerTable({ deliveries }: { readonly deliveries: readonly Delivery[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className="table-wrap ledger" aria-label="Deliveries" tabIndex={0}>
      <table>
        <caption className="visually-hidden">Deliveries, newest first</caption>
        <thead>
          <tr>
            <th>Window</th>
            <th>Outcome</th>
            <th className="number">Rows</th>
            <th className="number">Bytes</th>
            <th className="number">Tries</th>
            <th>Object</th>
          </tr>
        </thead>
        <tbody>
          {deliveries.map((delivery) => (
            <LedgerRow key={delivery.id} delivery={delivery} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function LedgerRow({ delivery }: { readonly delivery: Delivery }) {
  const { window, outcome, purpose, rows, attempts, last_attempt: last, last_status: status, reason } = delivery
  return (
    <tr>
      <td className="nowrap numeric" title={`${when(window.from)} to ${when(window.to)}`}>
        {when(window.from)} – {timeOf(window.to)}
        {purpose !== 'export' && purpose !== 'owed' && (
          <>
            {' '}
            <Badge tone="accent">{purpose}</Badge>
          </>
        )}
      </td>
      <td>
        <Badge tone={outcomeTone(outcome)}>{outcome === 'retry' ? 'will retry' : outcome}</Badge>
        {reason && <p className="error">{reason}</p>}
        {last && outcome !== 'delivered' && (
          <p className="hint">
            tried {ago(last)}
            {status !== null && `, answered ${status}`}
          </p>
        )}
      </td>
      <td className="number">{count(rows)}</td>
      <td className="number">{bytes(delivery.bytes)}</td>
      <td className="number">{attempts}</td>
      <td className="object">{delivery.object}</td>
    </tr>
  )
}
