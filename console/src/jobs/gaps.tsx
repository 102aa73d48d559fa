/** Proof that nothing is missing: what is stored of a past range against what the receipts say, and the repair of gaps. */
import { useState } from 'react'
import { logexport, type ResultOf } from '../../../src/contract/index.ts'
import { useAction } from '../asking.ts'
import { count, counted, timeOf, when } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { Notice, Problem } from '../parts/notice.tsx'
import { useSession } from '../session.tsx'
import type { Job, Status } from './job.ts'
import { useAskedWindows, usePastRange } from './past-range.tsx'

type Audit = ResultOf<typeof logexport.auditJob>
type Range = { readonly start: string; readonly end: string }

export function Gaps({ job, status }: { readonly job: Job; readonly status: Status | undefined }) {
  const { client, scope } = useSession()
  const range = usePastRange()
  const windows = useAskedWindows(status)
  const [found, setFound] = useState<{ readonly audit: Audit; readonly range: Range }>()
  const ask = (body: Range & { readonly repair?: true }) =>
    client.call(logexport.auditJob, { scope, params: { job_id: job.id }, body })
  const look = useAction(async () => {
    const asked = range.said()
    setFound(undefined)
    setFound({ audit: await ask(asked), range: asked })
  })
  const repair = useAction(async () => {
    if (!found) return
    windows.ask((await ask({ ...found.range, repair: true })).repairing)
    setFound(undefined)
  })
  return (
    <>
      <p className="soft">
        Counts the stored records of a range that this job should have delivered, window by window, compares them with
        the receipts, and looks whether the objects are still there. What the job still owes is not counted: it is on
        its way.
      </p>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void look.run()
        }}
      >
        {range.fields}
        <Problem error={look.error} />
        <div>
          <Button tone="main" type="submit" isBusy={look.isRunning}>
            {look.isRunning ? 'Counting…' : 'Compare'}
          </Button>
        </div>
      </form>
      {found?.audit.complete && (
        <Notice tone="good">
          <p>
            Complete: {counted(found.audit.stored, 'record')} stored, {count(found.audit.delivered)} delivered.
          </p>
          <Objects objects={found.audit.objects} />
        </Notice>
      )}
      {found && !found.audit.complete && <FoundGaps audit={found.audit} />}
      {found && !found.audit.complete && (
        <div>
          <Button tone="main" isBusy={repair.isRunning} onClick={() => void repair.run()}>
            Export the gaps again
          </Button>
        </div>
      )}
      <Problem error={repair.error} />
      {windows.progress}
    </>
  )
}

/** What was found at the destination itself; not every kind lets us look. */
function Objects({ objects }: { readonly objects: Audit['objects'] }) {
  const { looked, seen, missing, hidden, reason } = objects
  const [first] = missing
  return (
    <>
      {looked > 0 && (
        <p className="soft">
          {counted(looked, 'object')} looked at, {count(seen)} there as written.
        </p>
      )}
      {first !== undefined && (
        <p className="said">
          Gone or changed: {first}
          {missing.length > 1 && `, and ${count(missing.length - 1)} more`}
        </p>
      )}
      {hidden > 0 && (
        <p className="soft">
          {counted(hidden, 'object')} could not be looked at{reason && `: ${reason}`}
        </p>
      )}
    </>
  )
}

function FoundGaps({ audit }: { readonly audit: Audit }) {
  return (
    <>
      <Notice tone="warn">
        <p>
          {counted(audit.gaps.length, 'window lacks', 'windows lack')} records: {count(audit.stored)} stored,{' '}
          {count(audit.delivered)} delivered.
        </p>
        <Objects objects={audit.objects} />
        <p className="advice">Exporting them again mends only these windows; everything else stays as it is.</p>
      </Notice>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section className="table-wrap gaps" aria-label="Gaps" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th>Window</th>
              <th className="number">Stored</th>
              <th className="number">Delivered</th>
              <th className="number">Missing</th>
            </tr>
          </thead>
          <tbody>
            {audit.gaps.map(({ from, to, stored, delivered }) => (
              <tr key={from}>
                <td className="nowrap numeric">
                  {when(from)} – {timeOf(to)}
                </td>
                <td className="number">{count(stored)}</td>
                <td className="number">{count(delivered)}</td>
                <td className="number">{count(stored - delivered)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  )
}
