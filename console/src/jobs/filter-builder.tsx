/** A filter as groups of conditions: all of them or any of them, groups within groups. */
import { useMemo } from 'react'
import { Button, Choice } from '../parts/button.tsx'
import type { FieldInfo } from './fields.ts'

type Condition = { readonly key: string; readonly operator: string; readonly value: unknown }
type Group = { readonly and: readonly Node[] } | { readonly or: readonly Node[] }
type Node = Condition | Group

type Builder = { readonly fields: readonly FieldInfo[] }
type FilterBuilderProps = Builder & { readonly filter: string; onChange(filter: string): void }

export function FilterBuilder({ fields, filter, onChange }: FilterBuilderProps) {
  const root = useMemo(() => readFilter(filter), [filter])
  const filterable = useMemo(() => fields.filter(({ operators }) => operators.length > 0), [fields])
  const change = (node: Group) => onChange(membersOf(node).length === 0 ? '' : JSON.stringify({ where: node }))
  if (!root)
    return (
      <p className="error">
        The filter of this job is not one that the console can show. Change it through the API, or{' '}
        <Button onClick={() => onChange('')}>Start again</Button>
      </p>
    )
  return <GroupEditor fields={filterable} group={root} onChange={change} depth={0} />
}

type GroupEditorProps = Builder & {
  readonly group: Group
  readonly depth: number
  onChange(group: Group): void
  onRemove?(): void
}

function GroupEditor({ fields, group, depth, onChange, onRemove }: GroupEditorProps) {
  const members = membersOf(group)
  const word = 'and' in group ? 'and' : 'or'
  const set = (next: readonly Node[], join: 'and' | 'or' = word) =>
    onChange(join === 'and' ? { and: next } : { or: next })
  const replace = (at: number, node: Node) => set(members.map((member, index) => (index === at ? node : member)))
  const remove = (at: number) => set(members.filter((_, index) => index !== at))
  const [first] = fields
  const fresh: Condition = { key: first?.name ?? '', operator: first?.operators[0] ?? 'eq', value: '' }

  return (
    <div className="conditions">
      <div className="row spread">
        {members.length === 0 ? (
          <span className="soft">{depth === 0 ? 'No condition: every record is kept.' : 'An empty group'}</span>
        ) : (
          <Choice
            label="How the conditions are joined"
            value={word}
            onChange={(join) => set(members, join)}
            options={[
              ['and', 'All of these'],
              ['or', 'Any of these'],
            ]}
          />
        )}
        {onRemove && <Button tone="quiet" icon="close" label="Remove the group" onClick={onRemove} />}
      </div>
      {members.map((member, at) => {
        const shared = { fields, onRemove: () => remove(at) }
        return 'key' in member ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: a condition has no name but its place.
          <ConditionEditor key={at} {...shared} condition={member} onChange={(next) => replace(at, next)} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: as above.
          <GroupEditor key={at} {...shared} group={member} depth={depth + 1} onChange={(next) => replace(at, next)} />
        )
      })}
      <div className="row">
        <Button icon="plus" onClick={() => set([...members, fresh])}>
          Condition
        </Button>
        {depth < 3 && (
          <Button tone="quiet" icon="plus" onClick={() => set([...members, { or: [fresh] }])}>
            Group
          </Button>
        )}
      </div>
    </div>
  )
}

type ConditionEditorProps = Builder & {
  readonly condition: Condition
  onChange(next: Condition): void
  onRemove(): void
}

function ConditionEditor({ fields, condition, onChange, onRemove }: ConditionEditorProps) {
  const { key, operator, value } = condition
  const field = fields.find(({ name }) => name === key)
  const choose = (name: string) => {
    const next = fields.find((one) => one.name === name)
    const kept = next?.operators.includes(operator) ? operator : (next?.operators[0] ?? 'eq')
    onChange({ key: name, operator: kept, value: typed(shown(value), kept, next?.type) })
  }
  return (
    <div className="condition">
      <select aria-label="Field" value={key} onChange={(event) => choose(event.target.value)}>
        {!field && <option value={key}>{key}</option>}
        {fields.map(({ name }) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <select
        aria-label="Operator"
        value={operator}
        onChange={(event) =>
          onChange({ key, operator: event.target.value, value: typed(shown(value), event.target.value, field?.type) })
        }
      >
        {(field?.operators ?? [operator]).map((one) => (
          <option key={one} value={one}>
            {operatorWords[one] ?? one}
          </option>
        ))}
      </select>
      {field?.type === 'bool' ? (
        <select
          aria-label="Value"
          value={String(value)}
          onChange={(event) => onChange({ ...condition, value: event.target.value === 'true' })}
        >
          <option value="true">true</option>
          <option value="false">false</option>
        </select>
      ) : (
        <input
          aria-label="Value"
          placeholder={operator.endsWith('in') ? 'a, b, c' : 'value'}
          value={shown(value)}
          onChange={(event) => onChange({ ...condition, value: typed(event.target.value, operator, field?.type) })}
        />
      )}
      <Button tone="quiet" icon="close" label="Remove the condition" onClick={onRemove} />
    </div>
  )
}

const operatorWords: Readonly<Record<string, string>> = {
  eq: 'is',
  '!eq': 'is not',
  in: 'is one of',
  '!in': 'is none of',
  lt: 'is below',
  leq: 'is at most',
  gt: 'is above',
  geq: 'is at least',
  contains: 'contains',
  '!contains': 'does not contain',
  startsWith: 'begins with',
  '!startsWith': 'does not begin with',
  endsWith: 'ends with',
  '!endsWith': 'does not end with',
}

const shown = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : String(value ?? ''))

/** What the API wants for this operator and type; text that is no number stays text, so that the API can say so. */
function typed(text: string, operator: string, type: string | undefined): unknown {
  if (operator === 'in' || operator === '!in') return text.split(',').map((part) => typed(part.trim(), 'eq', type))
  if (type === 'bool') return text === 'true'
  return type?.startsWith('int') && /^-?\d{1,15}$/.test(text) ? Number(text) : text
}

const membersOf = (group: Group): readonly Node[] => ('and' in group ? group.and : group.or)

function readFilter(filter: string): Group | undefined {
  if (filter === '') return { and: [] }
  try {
    const { where } = JSON.parse(filter) as { where: Node }
    return 'key' in where ? { and: [where] } : where
  } catch {
    return undefined
  }
}
