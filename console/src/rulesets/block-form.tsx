/** What a refused client is told: the service's own words, or a response of the rule's own. */
import { Check, Select, TextArea, TextField } from '../parts/field.tsx'
import type { ParameterFormProps } from './action-parameters.tsx'
import { membersOf, numberOr, textOf, withMember } from './members.ts'

const freshResponse = { status_code: 403, content_type: 'text/plain', content: 'Not here.' }

export const contentTypes = ['text/plain', 'text/html', 'application/json', 'text/xml'].map(
  (type) => [type, type] as const,
)

export function BlockForm({ value, onChange }: ParameterFormProps) {
  const response = membersOf(value.response)
  const set = (name: string, next: unknown) => onChange({ ...value, response: { ...response, [name]: next } })
  return (
    <>
      <Check
        label="Answer with a response of its own"
        checked={value.response !== undefined}
        onChange={(isOwn) => onChange(withMember(value, 'response', isOwn ? freshResponse : undefined))}
      />
      {value.response !== undefined && (
        <>
          <div className="columns">
            <TextField
              label="Status"
              type="number"
              value={textOf(response.status_code)}
              onChange={(text) => set('status_code', numberOr(text))}
              hint="400 to 499"
            />
            <Select
              label="Type of the content"
              value={textOf(response.content_type)}
              onChange={(type) => set('content_type', type)}
              options={contentTypes}
            />
          </div>
          <TextArea
            label="Content"
            rows={4}
            value={textOf(response.content)}
            onChange={(content) => set('content', content)}
          />
        </>
      )}
    </>
  )
}
