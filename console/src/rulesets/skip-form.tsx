/** What a skip leaves out: the rest of its ruleset, whole rulesets, later phases, products of the edge. */
import { rulesets } from '../../../src/contract/index.ts'
import { useAnswer } from '../asking.ts'
import { Check } from '../parts/field.tsx'
import { Problem } from '../parts/notice.tsx'
import { useSession } from '../session.tsx'
import type { ParameterFormProps } from './action-parameters.tsx'
import { listOf, withMember } from './members.ts'
import { skippablePhases, skippableProducts } from './skippable.ts'

export function SkipForm({ phase, value, onChange }: ParameterFormProps) {
  const { client, scope } = useSession()
  const known = useAnswer((signal) => client.call(rulesets.listRulesets, { scope, signal }), [scope])
  const runnable = (known.value ?? []).filter(({ kind }) => kind === 'managed' || kind === 'custom')
  const isCurrent = value.ruleset === 'current'
  const group = (legend: string, member: string, options: readonly (readonly [string, string])[]) => {
    const chosen = listOf(value[member]).map(String)
    const toggle = (one: string, isOn: boolean) => {
      const next = isOn ? [...chosen, one] : chosen.filter((other) => other !== one)
      onChange(withMember(value, member, next.length > 0 ? next : undefined))
    }
    if (options.length === 0) return null
    return (
      <fieldset className="prose">
        <legend className="label">{legend}</legend>
        {options.map(([one, words]) => (
          <Check key={one} label={words} checked={chosen.includes(one)} onChange={(isOn) => toggle(one, isOn)} />
        ))}
      </fieldset>
    )
  }
  return (
    <>
      <Problem error={known.error} onRetry={known.again} />
      <Check
        label="Leave out the rest of this ruleset"
        checked={isCurrent}
        onChange={(isOn) => onChange(withMember(value, 'ruleset', isOn ? 'current' : undefined))}
      />
      <div className="columns">
        {group('Later phases', 'phases', skippablePhases[phase] ?? [])}
        {group('Products of the edge', 'products', skippableProducts)}
        {!isCurrent &&
          group(
            'Whole rulesets',
            'rulesets',
            runnable.map(({ id, name }) => [id, name] as const),
          )}
      </div>
      <p className="hint">Single rules of a ruleset are named as JSON: {'{"rules": {"<ruleset>": ["<rule>"]}}'}</p>
    </>
  )
}
