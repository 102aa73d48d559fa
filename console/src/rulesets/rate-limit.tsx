/** What a rate limiting rule counts, over which time, and for how long it acts. */
import type { ErrorItem } from '../../../src/contract/index.ts'
import { Choice } from '../parts/button.tsx'
import { Check, Select, TextField } from '../parts/field.tsx'
import { ExpressionEditor } from './expression-editor.tsx'
import { FormOrJson } from './form-or-json.tsx'
import type { Language } from './language.ts'
import { type Members, membersOf, numberOr, textOf, withMember } from './members.ts'
import { NamesField } from './names-field.tsx'

const periods = [10, 60, 120, 300, 600, 3600].map(
  (seconds) => [String(seconds), seconds < 60 ? `${seconds} seconds` : `${seconds / 60} min`] as const,
)

type RateLimitProps = {
  readonly value: unknown
  readonly errors: readonly ErrorItem[]
  readonly language: Language | undefined
  onChange(value: unknown): void
}

export function RateLimit({ value, errors, language, onChange }: RateLimitProps) {
  return (
    <FormOrJson
      legend="Rate limit"
      member="ratelimit"
      value={value}
      errors={errors}
      onChange={onChange}
      form={(below) => <RateForm limit={membersOf(value)} errors={below} language={language} onChange={onChange} />}
      isShown={isAboutCounting}
    />
  )
}

const isAboutCounting = ({ source }: ErrorItem): boolean => source?.pointer === '/counting_expression'

type RateFormProps = {
  readonly limit: Members
  readonly errors: readonly ErrorItem[]
  readonly language: Language | undefined
  onChange(limit: Members): void
}

function RateForm({ limit, errors, language, onChange }: RateFormProps) {
  const set = (name: string, next: unknown) => onChange(withMember(limit, name, next))
  const isScored = limit.score_per_period !== undefined
  const change = (what: 'requests' | 'score') => {
    const { requests_per_period: _r, score_per_period: _s, score_response_header_name: _h, ...rest } = limit
    onChange(
      what === 'requests'
        ? { ...rest, requests_per_period: 100 }
        : { ...rest, score_per_period: 100, score_response_header_name: '' },
    )
  }
  const number = (name: string, label: string, hint: string) => (
    <TextField
      label={label}
      type="number"
      value={textOf(limit[name])}
      onChange={(text) => set(name, numberOr(text))}
      hint={hint}
    />
  )
  return (
    <>
      <NamesField
        label="Counted apart by"
        names={Array.isArray(limit.characteristics) ? limit.characteristics.map(textOf) : []}
        onChange={(characteristics) => set('characteristics', characteristics)}
        hint="Fields between commas; cf.colo.id is always one of them. Such as cf.colo.id, ip.src"
      />
      <Choice
        label="What is added up"
        value={isScored ? 'score' : 'requests'}
        onChange={change}
        options={[
          ['requests', 'Requests'],
          ['score', 'Points that the origin answers with'],
        ]}
      />
      <div className="columns">
        {isScored
          ? number('score_per_period', 'Most points', 'From then on the rule acts.')
          : number('requests_per_period', 'Most requests', 'From then on the rule acts.')}
        <Select
          label="Within"
          value={textOf(limit.period)}
          onChange={(period) => set('period', Number(period))}
          options={periods}
        />
        {number('mitigation_timeout', 'Acts for so many seconds', '0 to 86,400; empty: the time above.')}
        {isScored && (
          <TextField
            label="Header with the points"
            value={textOf(limit.score_response_header_name)}
            onChange={(name) => set('score_response_header_name', name)}
          />
        )}
      </div>
      <ExpressionEditor
        label="Count only (empty: what matches above)"
        text={textOf(limit.counting_expression)}
        language={language}
        errors={errors.filter(isAboutCounting)}
        onChange={(text) => set('counting_expression', text === '' ? undefined : text)}
      />
      <Check
        label="Count only requests that reach the origin"
        checked={limit.requests_to_origin === true}
        onChange={(isOn) => set('requests_to_origin', isOn)}
      />
    </>
  )
}
