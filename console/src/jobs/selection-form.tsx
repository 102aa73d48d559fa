/** Fields, sampling, timestamps, format and filter: the same form for a new job and for one that is changed. */
import { useMemo, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Select, TextField } from '../parts/field.tsx'
import { Problem } from '../parts/notice.tsx'
import { type FieldInfo, useFields } from './fields.ts'
import { FilterBuilder } from './filter-builder.tsx'
import { OutputForm } from './output-form.tsx'
import type { Selection } from './selection.ts'

type SelectionFormProps = { readonly selection: Selection; onChange(selection: Selection): void }

export function SelectionForm({ selection, onChange }: SelectionFormProps) {
  const { fields, error, again } = useFields(selection.dataset)
  const set = (part: Partial<Selection>) => onChange({ ...selection, ...part })
  const sample = Number(selection.sample)
  const isFair = sample >= 0.001 && sample <= 1
  return (
    <>
      <Problem error={error} onRetry={again} />
      <FieldPicker
        all={fields.all}
        standard={fields.standard}
        chosen={selection.fields}
        onChange={(chosen) => set({ fields: chosen })}
      />
      <div className="columns">
        <TextField
          label="Share of records"
          type="number"
          step="0.001"
          value={selection.sample}
          onChange={(value) => set({ sample: value })}
          hint={
            isFair && sample < 1
              ? `About 1 in ${Math.round(1 / sample)}; the same ones at every try.`
              : '1 is all of them.'
          }
          error={isFair ? undefined : 'A number from 0.001 to 1'}
        />
        <Select
          label="Timestamps"
          value={selection.timestamps}
          onChange={(value) => set({ timestamps: value })}
          options={[
            ['rfc3339', 'RFC 3339, such as 2026-01-31T09:30:00Z'],
            ['rfc3339ms', 'RFC 3339 with milliseconds'],
            ['rfc3339ns', 'RFC 3339 with nanoseconds'],
            ['unix', 'Unix seconds'],
            ['unixnano', 'Unix nanoseconds'],
          ]}
        />
      </div>
      <OutputForm output={selection.output} onChange={(output) => set({ output })} />
      <div className="field">
        <span className="label">Filter</span>
        <FilterBuilder fields={fields.all} filter={selection.filter} onChange={(filter) => set({ filter })} />
      </div>
    </>
  )
}

type FieldPickerProps = {
  readonly all: readonly FieldInfo[]
  readonly standard: readonly string[]
  /** Empty: the default ones. */
  readonly chosen: readonly string[]
  onChange(chosen: readonly string[]): void
}

export function FieldPicker({ all, standard, chosen, onChange }: FieldPickerProps) {
  const [search, setSearch] = useState('')
  const picked = useMemo(() => new Set(chosen.length > 0 ? chosen : standard), [chosen, standard])
  const found = all.filter(({ name, says }) => `${name} ${says}`.toLowerCase().includes(search.toLowerCase()))
  const toggle = (name: string) => {
    const next = new Set(picked)
    if (!next.delete(name)) next.add(name)
    onChange(all.map((field) => field.name).filter((one) => next.has(one)))
  }
  return (
    <fieldset className="picker">
      <legend className="label">Fields</legend>
      <div className="row spread">
        <input
          type="search"
          className="search"
          aria-label="Search fields"
          placeholder={`Search ${all.length} fields by name or meaning`}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <span className="row">
          <span className="soft" aria-live="polite">
            {picked.size} of {all.length} chosen{chosen.length === 0 ? ' (the default)' : ''}
          </span>
          <Button tone="quiet" onClick={() => onChange([])}>
            Default
          </Button>
          <Button tone="quiet" onClick={() => onChange(all.map(({ name }) => name))}>
            All
          </Button>
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section className="picker-list" aria-label="Fields of the dataset" tabIndex={0}>
        {found.map(({ name, type, says }) => (
          <label key={name}>
            <input type="checkbox" checked={picked.has(name)} onChange={() => toggle(name)} />
            <span className="mono">{name}</span>
            <span className="soft">{type}</span>
            <span className="soft">{says}</span>
          </label>
        ))}
        {found.length === 0 && <p className="hint">No field is about “{search}”.</p>}
      </section>
    </fieldset>
  )
}
