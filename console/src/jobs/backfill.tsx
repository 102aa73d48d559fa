/** Exporting a past range again, and how far that has come. */
import { logexport } from '../../../src/contract/index.ts'
import { useAction } from '../asking.ts'
import { Button } from '../parts/button.tsx'
import { Problem } from '../parts/notice.tsx'
import { useSession } from '../session.tsx'
import type { Job, Status } from './job.ts'
import { useAskedWindows, usePastRange } from './past-range.tsx'

type BackfillProps = { readonly job: Job; readonly status: Status | undefined }

export function Backfill({ job, status }: BackfillProps) {
  const { client, scope } = useSession()
  const call = { scope, params: { job_id: job.id } }
  const range = usePastRange()
  const windows = useAskedWindows(status)
  const begin = useAction(async () => {
    windows.ask((await client.call(logexport.backfill, { ...call, body: range.said() })).windows)
  })
  const cancel = useAction(async () => {
    windows.takeBack((await client.call(logexport.cancelBackfill, call)).cancelled)
  })
  return (
    <>
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
        {range.fields}
        <Problem error={begin.error} />
        <div className="row">
          <Button tone="main" type="submit" isBusy={begin.isRunning}>
            Start the backfill
          </Button>
          {windows.isUnderWay && (
            <Button isBusy={cancel.isRunning} onClick={() => void cancel.run()}>
              Cancel what has not begun
            </Button>
          )}
        </div>
      </form>
      <Problem error={cancel.error} />
      {windows.progress}
    </>
  )
}
