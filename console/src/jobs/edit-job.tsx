/**
 * Changing a job. The form knows nothing of the redaction option and so never sends it: saving here sets it to false, and
 * the form says so before it does.
 */
import { useState } from 'react'
import { type BodyOf, logexport } from '../../../src/contract/index.ts'
import { useAction } from '../asking.ts'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/field.tsx'
import { Notice, Problem } from '../parts/notice.tsx'
import { Card } from '../parts/page.tsx'
import { useSession } from '../session.tsx'
import type { Job } from './job.ts'
import { Preview } from './preview.tsx'
import { readSelection, redaction, redacts, writeSelection } from './selection.ts'
import { SelectionForm } from './selection-form.tsx'

type EditJobProps = { readonly job: Job; onDone(): void; onClose(): void }

export function EditJob({ job, onDone, onClose }: EditJobProps) {
  const { client, scope } = useSession()
  const [name, setName] = useState(job.name)
  const [selection, setSelection] = useState(() => readSelection(job))
  const [isPreviewed, setPreviewed] = useState(false)
  const [limits, setLimits] = useState(() => readLimits(job))
  const save = useAction(async () => {
    await client.call(logexport.updateJob, {
      scope,
      params: { job_id: job.id },
      body: { name, ...writeSelection(selection), ...writeLimits(limits) },
    })
    onDone()
  })
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void save.run()
      }}
    >
      <Card title="Edit">
        <Notice tone={redacts(job) ? 'warn' : 'info'}>
          <p>
            {redacts(job) ? (
              <>
                This job redacts <code>{'${'}</code> (<code>{redaction}=true</code>). Saving here sets that option to
                false; it can be set through the API only.
              </>
            ) : (
              <>
                Saving here sets the option <code>{redaction}</code> to false; it can be set through the API only.
              </>
            )}
          </p>
        </Notice>
        <TextField label="Name" value={name} onChange={setName} hint="Letters, digits, dots and hyphens." />
        <SelectionForm selection={selection} onChange={setSelection} />
        <div className="columns">
          {limitFields.map(({ key, label, hint }) => (
            <TextField
              key={key}
              label={label}
              hint={hint}
              type="number"
              value={limits[key]}
              onChange={(value) => setLimits({ ...limits, [key]: value })}
            />
          ))}
        </div>
      </Card>
      {isPreviewed && <Preview selection={selection} />}
      <Problem error={save.error} />
      <div className="row">
        <Button tone="main" type="submit" isBusy={save.isRunning}>
          Save
        </Button>
        <Button onClick={() => setPreviewed(true)} disabled={isPreviewed}>
          Preview ten records
        </Button>
        <Button tone="quiet" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  )
}

type Limit = 'max_upload_records' | 'max_upload_bytes' | 'max_upload_interval_seconds'
type Limits = Readonly<Record<Limit, string>>

const limitFields: readonly { readonly key: Limit; readonly label: string; readonly hint: string }[] = [
  { key: 'max_upload_records', label: 'Most records in one upload', hint: '1,000 to 1,000,000; empty for no limit.' },
  {
    key: 'max_upload_bytes',
    label: 'Most bytes in one upload',
    hint: '5 MB to 1 GB before packing; empty for no limit.',
  },
  { key: 'max_upload_interval_seconds', label: 'Seconds between uploads', hint: '30 to 300; empty for the usual.' },
]

const readLimits = (job: Job): Limits =>
  Object.fromEntries(limitFields.map(({ key }) => [key, job[key] === null ? '' : String(job[key])])) as Limits

const writeLimits = (limits: Limits): Partial<BodyOf<typeof logexport.updateJob>> =>
  Object.fromEntries(limitFields.map(({ key }) => [key, limits[key] === '' ? null : Number(limits[key])]))
