/** How many points a match adds to the score of the ruleset. */
import { TextField } from '../parts/field.tsx'
import type { ParameterFormProps } from './action-parameters.tsx'
import { numberOr, textOf } from './members.ts'

export function ScoreForm({ value, onChange }: ParameterFormProps) {
  return (
    <div className="columns">
      <TextField
        label="Points"
        type="number"
        value={textOf(value.increment)}
        onChange={(text) => onChange({ ...value, increment: numberOr(text) })}
        hint="-1000 to 1000; a negative number takes points away."
      />
    </div>
  )
}
