/** Names of headers and cookies whose values go into the log record. */
import type { ParameterFormProps } from './action-parameters.tsx'
import { listOf, membersOf, textOf, withMember } from './members.ts'
import { NamesField } from './names-field.tsx'

const members = [
  ['request_fields', 'Request headers, as the client sent them'],
  ['transformed_request_fields', 'Request headers, as the origin gets them'],
  ['response_fields', 'Response headers, as the client gets them'],
  ['raw_response_fields', 'Response headers, as the origin sent them'],
  ['cookie_fields', 'Cookies'],
] as const

export function LogFieldsForm({ value, onChange }: ParameterFormProps) {
  const set = (member: string, names: readonly string[]) => {
    const known = listOf(value[member]).map(membersOf)
    const named = names.map((name) => known.find((one) => one.name === name) ?? { name })
    onChange(withMember(value, member, named.length > 0 ? named : undefined))
  }
  return (
    <div className="columns">
      {members.map(([member, label]) => (
        <NamesField
          key={member}
          label={label}
          names={listOf(value[member]).map((one) => textOf(membersOf(one).name))}
          onChange={(names) => set(member, names)}
        />
      ))}
    </div>
  )
}
