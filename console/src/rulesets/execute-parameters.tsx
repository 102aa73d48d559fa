/** What an execute rule runs: a ruleset of the same phase, its version, and overrides by ruleset, tag and rule. */
import { useMemo, useState } from 'react'
import { rulesets } from '../../../src/contract/index.ts'
import { useAnswer } from '../asking.ts'
import { Select } from '../parts/field.tsx'
import { Problem } from '../parts/notice.tsx'
import { Badge } from '../parts/page.tsx'
import { useSession } from '../session.tsx'
import type { ParameterFormProps } from './action-parameters.tsx'
import type { RuleView } from './ruleset.ts'

type Override = { readonly action?: string; readonly enabled?: boolean }
type Overrides = Override & {
  readonly categories?: readonly (Override & { readonly category: string })[]
  readonly rules?: readonly (Override & { readonly id: string })[]
}
type Parameters = { readonly id?: string; readonly version?: string; readonly overrides?: Overrides }

export function ExecuteParameters({ phase, value, onChange }: ParameterFormProps) {
  const { client, scope } = useSession()
  const parameters = value as Parameters
  const known = useAnswer((signal) => client.call(rulesets.listRulesets, { scope, signal }), [scope])
  const runnable = (known.value ?? []).filter(
    (one) => one.phase === phase && (one.kind === 'managed' || one.kind === 'custom'),
  )
  const target = useAnswer(
    async (signal) =>
      parameters.id
        ? client.call(rulesets.viewRuleset, { scope, params: { ruleset_id: parameters.id }, signal })
        : undefined,
    [scope, parameters.id],
  )
  const setOverrides = (overrides: Overrides) => {
    const { overrides: _, ...rest } = parameters
    const said = tidy(overrides)
    onChange(said ? { ...rest, overrides: said } : rest)
  }
  return (
    <div className="stack">
      <Problem error={known.error ?? target.error} />
      <Select
        label="Ruleset to run"
        value={parameters.id ?? ''}
        onChange={(id) => onChange({ id })}
        options={[
          ['', 'Choose a ruleset of this phase'],
          ...runnable.map(({ id, name, kind }) => [id, `${name} (${kind})`] as const),
        ]}
      />
      {target.value && (
        <OverridesForm rules={target.value.rules} overrides={parameters.overrides ?? {}} onChange={setOverrides} />
      )}
    </div>
  )
}

type OverridesFormProps = {
  readonly rules: readonly RuleView[]
  readonly overrides: Overrides
  onChange(next: Overrides): void
}

function OverridesForm({ rules, overrides, onChange }: OverridesFormProps) {
  const [search, setSearch] = useState('')
  const tags = useMemo(() => [...new Set(rules.flatMap(({ categories }) => categories ?? []))].sort(), [rules])
  const setTag = (category: string, next: Override) =>
    onChange({
      ...overrides,
      categories: [...(overrides.categories ?? []).filter((one) => one.category !== category), { category, ...next }],
    })
  const setRule = (id: string, next: Override) =>
    onChange({ ...overrides, rules: [...(overrides.rules ?? []).filter((one) => one.id !== id), { id, ...next }] })
  const found = rules.filter((rule) =>
    `${rule.description} ${rule.ref} ${rule.categories?.join(' ')}`.toLowerCase().includes(search.toLowerCase()),
  )
  return (
    <fieldset className="overrides">
      <legend className="label">Overrides</legend>
      <OverrideRow
        name="The whole ruleset"
        override={overrides}
        onChange={(next) => onChange({ ...overrides, ...next })}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section className="override-rules" aria-label="Tags of the ruleset" tabIndex={0}>
        {tags.map((tag) => (
          <OverrideRow
            key={tag}
            name={<Badge tone="accent">{tag}</Badge>}
            label={`Tag ${tag}`}
            override={overrides.categories?.find((one) => one.category === tag) ?? {}}
            onChange={(next) => setTag(tag, next)}
          />
        ))}
      </section>
      <input
        type="search"
        className="search"
        aria-label="Find rules of the ruleset"
        placeholder={`Find among ${rules.length} rules`}
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section className="override-rules" aria-label="Rules of the ruleset" tabIndex={0}>
        {found.map((rule) => (
          <OverrideRow
            key={rule.id}
            name={rule.description || rule.ref}
            label={rule.description || rule.ref}
            own={`${rule.action}${rule.enabled ? '' : ', off'}`}
            override={overrides.rules?.find((one) => one.id === rule.id) ?? {}}
            onChange={(next) => setRule(rule.id, next)}
          />
        ))}
      </section>
    </fieldset>
  )
}

type OverrideRowProps = {
  readonly name: React.ReactNode
  readonly label?: string
  readonly own?: string
  readonly override: Override
  onChange(next: Override): void
}

const actions = ['block', 'challenge', 'js_challenge', 'managed_challenge', 'log']

function OverrideRow({ name, label, own, override, onChange }: OverrideRowProps) {
  const words = label ?? String(name)
  const change = (part: { action?: string | undefined; enabled?: boolean | undefined }) => {
    const next = { action: override.action, enabled: override.enabled, ...part }
    onChange({
      ...(next.action === undefined ? {} : { action: next.action }),
      ...(next.enabled === undefined ? {} : { enabled: next.enabled }),
    })
  }
  return (
    <div className="override">
      <span>
        {name} {own && <span className="soft">{own}</span>}
      </span>
      <select
        aria-label={`Action: ${words}`}
        value={override.action ?? ''}
        onChange={(event) => change({ action: event.target.value || undefined })}
      >
        <option value="">own action</option>
        {actions.map((action) => (
          <option key={action} value={action}>
            {action}
          </option>
        ))}
      </select>
      <select
        aria-label={`State: ${words}`}
        value={override.enabled === undefined ? '' : String(override.enabled)}
        onChange={(event) => change({ enabled: event.target.value === '' ? undefined : event.target.value === 'true' })}
      >
        <option value="">as it is</option>
        <option value="true">on</option>
        <option value="false">off</option>
      </select>
    </div>
  )
}

const isSaid = (override: Override): boolean => override.action !== undefined || override.enabled !== undefined

/** Without what says nothing; undefined when nothing is left. */
function tidy({ action, enabled, categories = [], rules = [] }: Overrides): Overrides | undefined {
  const [tags, single] = [categories.filter(isSaid), rules.filter(isSaid)]
  const said = {
    ...(action === undefined ? {} : { action }),
    ...(enabled === undefined ? {} : { enabled }),
    ...(tags.length > 0 ? { categories: tags } : {}),
    ...(single.length > 0 ? { rules: single } : {}),
  }
  return Object.keys(said).length > 0 ? said : undefined
}
