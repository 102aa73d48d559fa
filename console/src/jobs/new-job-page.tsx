/** The guide to a new job: where to, whose it is, which records, and go. */
import { useState } from 'react'
import { catalogue, logexport, preview } from '../../../src/contract/index.ts'
import { useAction, useAnswer } from '../asking.ts'
import { Button } from '../parts/button.tsx'
import { Check, Select, TextField } from '../parts/field.tsx'
import { Problem } from '../parts/notice.tsx'
import { Card, Page } from '../parts/page.tsx'
import { go } from '../router.tsx'
import { useSession } from '../session.tsx'
import { ChallengeStep, type Proof } from './challenge-step.tsx'
import { type Kind, kinds, maskedBuild, type Values } from './destination-kinds.ts'
import { DestinationStep } from './destination-step.tsx'
import { Preview } from './preview.tsx'
import { freshSelection, type Selection, writeSelection } from './selection.ts'
import { SelectionForm } from './selection-form.tsx'
import { StepFoot } from './step-foot.tsx'

const steps = ['Destination', 'Ownership', 'Records', 'Check and enable'] as const

export function NewJobPage() {
  const [step, setStep] = useState(0)
  const [kind, setKind] = useState<Kind | undefined>(kinds[0])
  const [values, setValues] = useState<Values>({})
  const [proof, setProof] = useState<Proof>()
  const [selection, setSelection] = useState<Selection>()
  const conf = kind ? kind.build(values) : ''
  const change = (nextKind: Kind | undefined, nextValues: Values) => {
    setKind(nextKind)
    setValues(nextValues)
    setProof(undefined)
  }

  return (
    <Page title="New export job">
      <div className="guide">
        <ol className="guide-steps" aria-label="Steps">
          {steps.map((name, at) => (
            <li key={name} className={at < step ? 'done' : undefined} aria-current={at === step ? 'step' : undefined}>
              {name}
            </li>
          ))}
        </ol>
        <div className="stack">
          {step === 0 && (
            <DestinationStep kind={kind} values={values} conf={conf} onChange={change} onNext={() => setStep(1)} />
          )}
          {step === 1 && kind && (
            <ChallengeStep
              kind={kind}
              conf={conf}
              masked={maskedBuild(kind, values)}
              onBack={() => setStep(0)}
              onProven={(proven) => {
                setProof(proven)
                setStep(2)
              }}
            />
          )}
          {step === 2 && (
            <RecordsStep
              selection={selection}
              onChange={setSelection}
              onBack={() => setStep(1)}
              onNext={() => setStep(3)}
            />
          )}
          {step === 3 && kind && selection && proof && (
            <EnableStep
              selection={selection}
              proof={proof}
              masked={maskedBuild(kind, values)}
              onBack={() => setStep(2)}
            />
          )}
        </div>
      </div>
    </Page>
  )
}

type RecordsStepProps = {
  readonly selection: Selection | undefined
  onChange(selection: Selection): void
  onBack(): void
  onNext(): void
}

function RecordsStep({ selection, onChange, onBack, onNext }: RecordsStepProps) {
  const { client, scope } = useSession()
  const datasets = useAnswer((signal) => client.call(catalogue.listDatasets, { scope, signal }), [scope])
  const known = datasets.value ?? []
  const usual = known.find(({ name }) => name === freshSelection.dataset) ?? known[0]
  const shown = selection ?? (usual && { ...freshSelection, dataset: usual.name })
  const judge = useAction(async () => {
    if (!shown) return
    // A preview is refused for every reason for which the job would be.
    await client.call(preview.previewJob, { scope, body: { dataset: shown.dataset, ...writeSelection(shown) } })
    onChange(shown)
    onNext()
  })
  return (
    <>
      <Problem error={datasets.error} onRetry={datasets.again} />
      {shown && (
        <Card title="Which records">
          <Select
            label="Dataset"
            value={shown.dataset}
            onChange={(dataset) => onChange({ ...freshSelection, dataset })}
            options={known.map(({ name, fields }) => [name, `${name} (${fields} fields)`])}
          />
          <SelectionForm selection={shown} onChange={onChange} />
        </Card>
      )}
      {shown && <Preview selection={shown} />}
      <Problem error={judge.error} />
      <StepFoot onBack={onBack}>
        <Button tone="main" isBusy={judge.isRunning} disabled={!shown} onClick={() => void judge.run()}>
          Continue
        </Button>
      </StepFoot>
    </>
  )
}

type EnableStepProps = {
  readonly selection: Selection
  readonly proof: Proof
  readonly masked: string
  onBack(): void
}

function EnableStep({ selection, proof, masked, onBack }: EnableStepProps) {
  const { client, scope, at } = useSession()
  const [name, setName] = useState('')
  const [isEnabled, setEnabled] = useState(true)
  const create = useAction(async () => {
    const job = await client.call(logexport.createJob, {
      scope,
      body: {
        name,
        destination_conf: proof.conf,
        ownership_challenge: proof.token,
        dataset: selection.dataset,
        ...writeSelection(selection),
        enabled: isEnabled,
      },
    })
    go(at('jobs', String(job.id)))
  })
  return (
    <>
      <Card title="Check and enable">
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          placeholder="edge-to-archive"
          hint="Letters, digits, dots and hyphens; may be left empty."
        />
        <dl className="summary">
          <dt>From</dt>
          <dd>
            <code>{selection.dataset}</code>, {selection.fields.length || 'the default'} fields
            {Number(selection.sample) < 1 && `, ${Number(selection.sample) * 100} % of records`}
            {selection.filter !== '' && ', filtered'}
            {selection.output && `, as ${selection.output.output_type ?? 'ndjson'}`}
          </dd>
          <dt>To</dt>
          <dd>
            <code>{masked}</code>
          </dd>
        </dl>
        <Check
          label="Start exporting at once, from the records received from now on"
          checked={isEnabled}
          onChange={setEnabled}
        />
      </Card>
      <Problem error={create.error} />
      <StepFoot onBack={onBack}>
        <Button tone="main" isBusy={create.isRunning} onClick={() => void create.run()}>
          {isEnabled ? 'Create and enable' : 'Create'}
        </Button>
      </StepFoot>
    </>
  )
}
