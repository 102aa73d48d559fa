/** Received records: by time, fields and filter, as a histogram and a table whose rows open. */
import { useMemo, useState } from 'react'
import { catalogue } from '../../../src/contract/index.ts'
import { useAnswer } from '../asking.ts'
import { counted, toLocalInput } from '../format.ts'
import { useFields } from '../jobs/fields.ts'
import { FilterBuilder } from '../jobs/filter-builder.tsx'
import { FieldPicker } from '../jobs/selection-form.tsx'
import { Button, Choice } from '../parts/button.tsx'
import { BarChart } from '../parts/charts.tsx'
import { Select, TextField } from '../parts/field.tsx'
import { Problem } from '../parts/notice.tsx'
import { Card, Empty, Loading, Page } from '../parts/page.tsx'
import { useSession } from '../session.tsx'
import { fetchRecords } from './fetch-records.ts'
import { histogram } from './histogram.ts'
import { LiveTail } from './live-tail.tsx'
import { RecordTable } from './record-table.tsx'

const ranges = [
  ['5', 'Last 5 minutes'],
  ['15', '15 minutes'],
  ['60', '1 hour'],
  ['own', 'Own range'],
] as const
type Range = (typeof ranges)[number][0]

/** What is asked for when a person presses the button; asking again with the same words looks at newer records. */
type Question = {
  readonly dataset: string
  readonly fields: readonly string[]
  readonly filter: string
  readonly start: string
  readonly end: string
  readonly count: number
}

export function LogsPage() {
  const { client, scope, place } = useSession()
  const datasets = useAnswer((signal) => client.call(catalogue.listDatasets, { scope, signal }), [scope])
  const [way, setWay] = useState<'query' | 'tail'>('query')
  const usual = datasets.value?.find(({ name }) => name === 'http_requests') ?? datasets.value?.[0]
  return (
    <Page
      title="Logs"
      says="Records as they were received, kept for as long as retention says."
      actions={
        place.kind === 'zone' && (
          <Choice
            label="How to look"
            value={way}
            onChange={(next: 'query' | 'tail') => setWay(next)}
            options={[
              ['query', 'Query'],
              ['tail', 'Live tail'],
            ]}
          />
        )
      }
    >
      {way === 'tail' && <LiveTail />}
      <Problem error={datasets.error} onRetry={datasets.again} />
      {way === 'query' && datasets.value && usual && (
        <Explorer
          datasets={datasets.value.map(({ name, timestamp_field }) => [name, timestamp_field] as const)}
          usual={usual.name}
        />
      )}
      {!datasets.value && !datasets.error && <Loading what="datasets" />}
    </Page>
  )
}

type ExplorerProps = {
  readonly datasets: readonly (readonly [name: string, timestampField: string])[]
  readonly usual: string
}

function Explorer({ datasets, usual }: ExplorerProps) {
  const [dataset, setDataset] = useState(usual)
  const [range, setRange] = useState<Range>('15')
  const [start, setStart] = useState(() => toLocalInput(new Date(Date.now() - 900_000)))
  const [end, setEnd] = useState(() => toLocalInput(new Date()))
  const [fields, setFields] = useState<readonly string[]>([])
  const [filter, setFilter] = useState('')
  const [open, setOpen] = useState<'fields' | 'filter'>()
  const [count, setCount] = useState('500')
  const known = useFields(dataset)
  const ask = (): Question => ({ dataset, fields, filter, count: Number(count), ...spanOf(range, start, end) })
  const [question, setQuestion] = useState<Question>(ask)
  const change = (next: string) => {
    setDataset(next)
    setFields([])
    setFilter('')
  }
  const toggle = (what: 'fields' | 'filter') => setOpen(open === what ? undefined : what)
  return (
    <>
      <form
        className="card"
        onSubmit={(event) => {
          event.preventDefault()
          setQuestion(ask())
        }}
      >
        <div className="log-controls">
          <Select label="Dataset" value={dataset} onChange={change} options={datasets.map(([name]) => [name, name])} />
          <div className="field">
            <span className="label">Received</span>
            <Choice label="Received" value={range} onChange={(next: Range) => setRange(next)} options={ranges} />
          </div>
          <Select
            label="At most"
            value={count}
            onChange={setCount}
            options={['100', '500', '2000'].map((most) => [most, `${most} records`])}
          />
        </div>
        {range === 'own' && (
          <div className="columns">
            <TextField label="From" type="datetime-local" step="1" value={start} onChange={setStart} required />
            <TextField label="To" type="datetime-local" step="1" value={end} onChange={setEnd} required />
          </div>
        )}
        {open === 'fields' && (
          <FieldPicker all={known.fields.all} standard={known.fields.standard} chosen={fields} onChange={setFields} />
        )}
        {open === 'filter' && <FilterBuilder fields={known.fields.all} filter={filter} onChange={setFilter} />}
        <div className="row">
          <Button tone="main" type="submit">
            Query
          </Button>
          <Button tone="quiet" isPressed={open === 'fields'} onClick={() => toggle('fields')}>
            Fields{fields.length > 0 ? ` (${fields.length})` : ''}
          </Button>
          <Button tone="quiet" isPressed={open === 'filter'} onClick={() => toggle('filter')}>
            Filter{filter === '' ? '' : ' (on)'}
          </Button>
        </div>
      </form>
      <Records question={question} timeField={datasets.find(([name]) => name === question.dataset)?.[1] ?? ''} />
    </>
  )
}

const spanOf = (range: Range, start: string, end: string): { start: string; end: string } =>
  range === 'own'
    ? { start: new Date(start).toISOString(), end: new Date(end).toISOString() }
    : { start: new Date(Date.now() - Number(range) * 60_000).toISOString(), end: new Date().toISOString() }

function Records({ question, timeField }: { readonly question: Question; readonly timeField: string }) {
  const { client, scope } = useSession()
  const { value, error, again } = useAnswer(
    (signal) => {
      const { start, end, fields, ...rest } = question
      // The histogram needs to know when, also when a person did not choose to see it.
      const asked = fields.length > 0 && !fields.includes(timeField) ? [...fields, timeField] : fields
      return fetchRecords(client, scope, { ...rest, fields: asked, start: new Date(start), end: new Date(end) }, signal)
    },
    [scope, question],
  )
  const bars = useMemo(() => histogram((value ?? []).map((record) => record[timeField])), [value, timeField])
  if (error) return <Problem error={error} onRetry={again} />
  if (!value) return <Loading what="records" />
  if (value.length === 0)
    return (
      <div className="card">
        <Empty title="No records in this range">
          <p>Widen the range or loosen the filter. A record is served about a minute after it was received.</p>
        </Empty>
      </div>
    )
  const isCut = value.length >= question.count
  return (
    <>
      <Card
        title={`${counted(value.length, 'record')}${isCut ? ', the first of the range' : ''}`}
        aside={<span className="soft">by {timeField}</span>}
      >
        <BarChart bars={bars} label={`Records by ${timeField}`} say={(many) => counted(many, 'record')} />
      </Card>
      <RecordTable records={value} columns={question.fields} timeField={timeField} />
    </>
  )
}
