/** Trying a request out: its path through phases, rulesets and rules, and why each did what it did. */
import { type FormEvent, useState } from 'react'
import { rulesets } from '../../../src/contract/index.ts'
import { useAction } from '../asking.ts'
import { Button } from '../parts/button.tsx'
import { TextArea, TextField } from '../parts/field.tsx'
import { Notice, Problem } from '../parts/notice.tsx'
import { Badge, Card, Empty, Page } from '../parts/page.tsx'
import { useSession } from '../session.tsx'
import { readRequestText } from './curl.ts'
import { actionTone } from './ruleset.ts'
import { TraceTree } from './trace-tree.tsx'

export function TracePage() {
  const { client, scope, place } = useSession()
  const [text, setText] = useState(
    () => `curl 'https://${place.kind === 'zone' ? place.name : 'www.example.com'}/' -H 'User-Agent: Mozilla/5.0'`,
  )
  const [ip, setIp] = useState('')
  const [country, setCountry] = useState('')
  const [result, setResult] = useState<rulesets.TraceView>()
  const trace = useAction(async () => {
    const read = readRequestText(text)
    if (!read.ok) throw new Error(read.why)
    const { body, ...request } = read.request
    setResult(
      await client.call(rulesets.traceRequest, {
        scope,
        body: {
          ...request,
          ...(body === '' ? {} : { body: { plain_text: body } }),
          ...(ip === '' ? {} : { ip }),
          ...(country === '' ? {} : { fields: { 'ip.src.country': country.toUpperCase() } }),
        },
      }),
    )
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setResult(undefined)
    void trace.run()
  }
  return (
    <Page
      title="Trace a request"
      says="Tries a request out on what is deployed. Nothing is sent anywhere, and nothing is counted."
    >
      <form className="card" onSubmit={submit}>
        <TextArea
          label="Request"
          rows={5}
          value={text}
          onChange={setText}
          hint="A curl line, a raw HTTP request, or an address."
        />
        <div className="columns">
          <TextField label="Visitor’s address" value={ip} onChange={setIp} placeholder="192.0.2.1" />
          <TextField label="Visitor’s country" value={country} onChange={setCountry} placeholder="DE" />
        </div>
        <Problem error={trace.error} />
        <div>
          <Button tone="main" type="submit" isBusy={trace.isRunning}>
            Trace
          </Button>
        </div>
      </form>
      {result && <Result result={result} />}
    </Page>
  )
}

function Result({ result }: { readonly result: rulesets.TraceView }) {
  const isAnswered = result.action !== 'allow'
  return (
    <>
      <Notice tone={isAnswered ? 'bad' : 'good'}>
        <p className="row">
          <strong>
            {isAnswered ? `Answered at the edge with ${result.status_code}` : 'The request goes on to the origin'}
          </strong>
          <Badge tone={isAnswered ? actionTone(result.action) : 'good'}>{result.action}</Badge>
        </p>
      </Notice>
      <Card title="Path">
        {result.trace.length === 0 ? (
          <Empty title="Nothing is deployed that looks at this request." />
        ) : (
          <TraceTree steps={result.trace} />
        )}
      </Card>
    </>
  )
}
