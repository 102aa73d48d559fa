/** The first step: a kind of destination, its form, and the string that comes of it. */
import { useState } from 'react'
import { logexport } from '../../../src/contract/index.ts'
import { useAction } from '../asking.ts'
import { Button } from '../parts/button.tsx'
import { Select, TextField } from '../parts/field.tsx'
import { Problem } from '../parts/notice.tsx'
import { Card } from '../parts/page.tsx'
import { Link } from '../router.tsx'
import { useSession } from '../session.tsx'
import { type Input, type Kind, kinds, maskedBuild, type Values } from './destination-kinds.ts'

type DestinationStepProps = {
  readonly kind: Kind | undefined
  readonly values: Values
  readonly conf: string
  onChange(kind: Kind | undefined, values: Values): void
  onNext(): void
}

export function DestinationStep({ kind, values, conf, onChange, onNext }: DestinationStepProps) {
  const { client, scope, at } = useSession()
  const [isTried, setTried] = useState(false)
  const missing = kind?.inputs.filter((input) => !input.isOptional && !(values[input.name] ?? input.initial)) ?? []
  const check = useAction(async () => {
    const { exists } = await client.call(logexport.destinationExists, { scope, body: { destination_conf: conf } })
    if (exists) throw new Error('Another job already writes to this destination. Choose another directory or address.')
    onNext()
  })
  const choose = (next: Kind) => {
    setTried(false)
    check.forget()
    onChange(next, Object.fromEntries(next.inputs.map(({ name, initial = '' }) => [name, initial])))
  }
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        setTried(true)
        if (missing.length === 0) void check.run()
      }}
    >
      <Card title="Where do the records go?">
        <div className="kinds">
          {kinds.map((one) => (
            <button key={one.kind} type="button" aria-pressed={one.kind === kind?.kind} onClick={() => choose(one)}>
              <b>{one.title}</b>
              <span>{one.says}</span>
            </button>
          ))}
        </div>
      </Card>
      {kind && (
        <Card title={kind.title}>
          <div className="columns">
            {kind.inputs.map((input) => (
              <InputField
                key={`${kind.kind} ${input.name}`}
                input={input}
                value={values[input.name] ?? input.initial ?? ''}
                error={isTried && missing.includes(input) ? 'Needed' : undefined}
                onChange={(value) => onChange(kind, { ...values, [input.name]: value })}
              />
            ))}
          </div>
          <div className="field">
            <span className="label">Destination string</span>
            <code className="conf">{maskedBuild(kind, values)}</code>
          </div>
        </Card>
      )}
      <Problem error={check.error} />
      <footer>
        <Link to={at('jobs')}>Cancel</Link>
        <Button tone="main" type="submit" isBusy={check.isRunning}>
          Continue
        </Button>
      </footer>
    </form>
  )
}

type InputFieldProps = {
  readonly input: Input
  readonly value: string
  readonly error: string | undefined
  onChange(value: string): void
}

function InputField({ input, value, error, onChange }: InputFieldProps) {
  const { isOptional, isSecret, choices, placeholder, hint } = input
  const label = isOptional ? `${input.label} (optional)` : input.label
  const shared = { label, value, error, onChange, ...(hint ? { hint } : {}) }
  if (choices) return <Select {...shared} options={choices} />
  return <TextField {...shared} type={isSecret ? 'password' : 'text'} {...(placeholder ? { placeholder } : {})} />
}
