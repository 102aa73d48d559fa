/** A past range to be chosen, and how far the work on its windows has come. */
import { useState } from 'react'
import { counted, toLocalInput } from '../format.ts'
import { TextField } from '../parts/field.tsx'
import { Notice } from '../parts/notice.tsx'
import { Progress } from '../parts/page.tsx'
import type { Status } from './job.ts'

/** The last hour, until someone says otherwise. */
export function usePastRange() {
  const [start, setStart] = useState(() => toLocalInput(new Date(Date.now() - 3_600_000)))
  const [end, setEnd] = useState(() => toLocalInput(new Date()))
  return {
    said: () => ({ start: new Date(start).toISOString(), end: new Date(end).toISOString() }),
    fields: (
      <div className="columns">
        <TextField label="From" type="datetime-local" step="1" value={start} onChange={setStart} required />
        <TextField label="To" type="datetime-local" step="1" value={end} onChange={setEnd} required />
      </div>
    ),
  }
}

/** Windows that were asked for, counted down by what the job's status says is left. */
export function useAskedWindows(status: Status | undefined) {
  const [asked, setAsked] = useState<{ readonly windows: number; readonly status: Status | undefined }>()
  // An answer of before the question says nothing about it.
  const isKnown = asked !== undefined && status !== asked.status
  const left = status && isKnown ? status.waiting_windows + Math.min(1, status.open_windows) : (asked?.windows ?? 0)
  const done = asked ? Math.max(0, asked.windows - left) : 0
  const isUnderWay = asked !== undefined && done < asked.windows
  return {
    isUnderWay,
    ask: (windows: number) => setAsked({ windows, status }),
    takeBack: (windows: number) => setAsked((before) => before && { ...before, windows: before.windows - windows }),
    progress: (
      <>
        {isUnderWay && (
          <Progress label={`Exporting ${counted(asked.windows, 'window')} again`} done={done} of={asked.windows} />
        )}
        {asked && !isUnderWay && <Notice tone="good">Done: {counted(asked.windows, 'window')} exported again.</Notice>}
      </>
    ),
  }
}
