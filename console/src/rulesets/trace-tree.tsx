/** The steps of a trace as a tree; what matched stands out, what did not is there to be read. */
import type { rulesets } from '../../../src/contract/index.ts'
import { counted } from '../format.ts'
import { Badge } from '../parts/page.tsx'
import { Highlighted } from './highlight.tsx'
import { actionTone } from './ruleset.ts'

type Step = rulesets.TraceStep

/** More rules than this that did not match, one after another, are folded away. */
const mostUnmatched = 3

export function TraceTree({ steps }: { readonly steps: readonly Step[] }) {
  return (
    <ol className="trace">
      {runsOf(steps).map(({ at, run }) =>
        run.length > mostUnmatched ? (
          <li key={at}>
            <details>
              <summary>{counted(run.length, 'rule')} did not match</summary>
              <TraceSteps steps={run} />
            </details>
          </li>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place.
          run.map((step, more) => <OneStep key={at + more} step={step} />)
        ),
      )}
    </ol>
  )
}

const TraceSteps = ({ steps }: { readonly steps: readonly Step[] }) => (
  <ol className="trace">
    {steps.map((step, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place.
      <OneStep key={at} step={step} />
    ))}
  </ol>
)

function OneStep({ step }: { readonly step: Step }) {
  return (
    <li className={`${step.type}${step.matched ? ' matched' : ''}`}>
      <StepWords step={step} />
      {step.trace && step.trace.length > 0 && <TraceTree steps={step.trace} />}
    </li>
  )
}

/** Neighbouring rules that did not match together, everything else on its own; a ruleset may run more than once. */
function runsOf(steps: readonly Step[]): readonly { readonly at: number; readonly run: readonly Step[] }[] {
  const isDull = (step: Step | undefined) => step?.type === 'rule' && !step.matched && !step.note
  const runs: { at: number; run: Step[] }[] = []
  for (const [at, step] of steps.entries()) {
    const last = runs.at(-1)
    if (last && isDull(step) && isDull(last.run[0])) last.run.push(step)
    else runs.push({ at, run: [step] })
  }
  return runs
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
