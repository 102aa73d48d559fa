/** The steps of a trace as a tree; what matched stands out, what did not is there to be read. */
import type { rulesets } from '../../../src/contract/index.ts'
import { Badge } from '../parts/page.tsx'
import { Highlighted } from './highlight.tsx'
import { actionTone } from './ruleset.ts'

type Step = rulesets.TraceStep

export function TraceTree({ steps }: { readonly steps: readonly Step[] }) {
  return (
    <ol className="trace">
      {steps.map((step, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a ruleset may run more than once; a step is its place.
        <li key={at} className={`${step.type}${step.matched ? ' matched' : ''}`}>
          <StepWords step={step} />
          {step.trace && step.trace.length > 0 && <TraceTree steps={step.trace} />}
        </li>
      ))}
    </ol>
  )
}

function StepWords({ step }: { readonly step: Step }) {
  const { type, step_name: id, name, description, expression, action, matched, values, note, kind } = step
  return (
    <div className="step">
      <div className="row">
        <span className="soft">{type}</span>
        <strong>{type === 'rule' ? description || name || id : name || id}</strong>
        {kind && <Badge>{kind}</Badge>}
        {action && <Badge tone={matched ? actionTone(action) : 'calm'}>{action}</Badge>}
        <Badge tone={matched ? 'good' : 'calm'}>{matched ? 'matched' : 'did not match'}</Badge>
      </div>
      {expression !== undefined && (
        <code className="rule-expression">
          <Highlighted text={expression} />
        </code>
      )}
      {values && Object.keys(values).length > 0 && (
        <dl className="values">
          {Object.entries(values).map(([field, value]) => (
            <div key={field}>
              <dt>{field}</dt>
              <dd>{value === null ? 'no value' : JSON.stringify(value)}</dd>
            </div>
          ))}
        </dl>
      )}
      {note && <p className="hint">{note}</p>}
    </div>
  )
}
