/** Exporting a past range again, and how far that has come. */
import { useState } from 'react'
import { logexport } from '../../../src/contract/index.ts'
import { useAction } from '../asking.ts'
import { counted, toLocalInput } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/field.tsx'
import { Notice, Problem } from '../parts/notice.tsx'
import { Card, Progress } from '../parts/page.tsx'
import { useSession } from '../session.tsx'
import type { Job, Status } from './job.ts'

type BackfillCardProps = { readonly job: Job; readonly status: Status | undefined }

export function BackfillCard({ job, status }: BackfillCardProps) {
  const { client, scope } = useSession()
  const call = { scope, params: { job_id: job.id } }
  const [isOpen, setOpen] = useState(false)
  const [start, setStart] = useState(() => toLocalInput(new Date(Date.now() - 3_600_000)))
  const [end, setEnd] = useState(() => toLocalInput(new Date()))
  const [asked, setAsked] = useState<{ readonly windows: number; readonly status: Status | undefined }>()
  // An answer of before the question says nothing about it.
  const isKnown = asked !== undefined && status !== asked.status
  const left = status && isKnown ? status.waiting_windows + Math.min(1, status.open_windows) : (asked?.windows ?? 0)
  const done = asked ? Math.max(0, asked.windows - left) : 0

  const begin = useAction(async () => {
    const body = { start: new Date(start).toISOString(), end: new Date(end).toISOString() }
    const { windows } = await client.call(logexport.backfill, { ...call, body })
    setAsked({ windows, status })
  })
  const cancel = useAction(async () => {
    const { cancelled } = await client.call(logexport.cancelBackfill, call)
    setAsked((before) => before && { ...before, windows: before.windows - cancelled })
  })

  if (!isOpen)
    return (
      <div>
        <Button onClick={() => setOpen(true)}>Backfill a past range…</Button>
      </div>
    )
  return (
    <Card title="Backfill" aside={<Button tone="quiet" icon="close" label="Close" onClick={() => setOpen(false)} />}>
      <p className="soft">
        Exports a past range again, window by window, behind what the job owes anyway. Object stores end up with one
        copy under the same names; other receivers get the records twice.
      </p>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void begin.run()
        }}
      >
        <div className="columns">
          <TextField label="From" type="datetime-local" step="1" value={start} onChange={setStart} required />
          <TextField label="To" type="datetime-local" step="1" value={end} onChange={setEnd} required />
        </div>
        <Problem error={begin.error} />
        <div className="row">
          <Button tone="main" type="submit" isBusy={begin.isRunning}>
            Start the backfill
          </Button>
          {asked && done < asked.windows && (
            <Button isBusy={cancel.isRunning} onClick={() => void cancel.run()}>
              Cancel what has not begun
            </Button>
          )}
        </div>
      </form>
      <Problem error={cancel.error} />
      {asked && done < asked.windows && (
        <Progress label={`Exporting ${counted(asked.windows, 'window')} again`} done={done} of={asked.windows} />
      )}
      {asked && done >= asked.windows && (
        <Notice tone="good">Done: {counted(asked.windows, 'window')} exported again.</Notice>
      )}
    </Card>
  )
}
