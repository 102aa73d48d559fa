/** How edges of the zone use its rules: where they ask, with which token, and what they do when nobody answers. */
import { edge } from '../../../src/contract/index.ts'
import { useAction, useAnswer } from '../asking.ts'
import { CopyButton } from '../parts/button.tsx'
import { Notice, Problem } from '../parts/notice.tsx'
import { Card, Empty, Loading, Page } from '../parts/page.tsx'
import { Tokens } from '../people/tokens.tsx'
import { useSession } from '../session.tsx'

export function EdgePage() {
  const { place } = useSession()
  if (place.kind === 'account')
    return (
      <Page title="Edge">
        <div className="card">
          <Empty title="An edge belongs to a zone">
            <p>Choose one of the zones of {place.name} above the pages.</p>
          </Empty>
        </div>
      </Page>
    )
  return (
    <Page title="Edge" says={`A web server before ${place.name} asks here what the deployed rules do to each request.`}>
      <Address />
      <Failure />
      <Tokens
        title="Tokens of edges"
        says={`Those that may ask for decisions in ${place.name}.`}
        empty="No token may ask for decisions here yet"
        addVerb="New edge token"
        usual={['edge:decide']}
        isShown={({ permissions, zones }) =>
          permissions.includes('edge:decide') && (zones === null || zones.includes(place.id))
        }
      />
    </Page>
  )
}

function Address() {
  const { place } = useSession()
  const address = `${location.origin}/v4/zones/${place.id}/edge/decide`
  const line = `curl -i '${address}/some/path' -H 'Authorization: Bearer <token>'`
  return (
    <Card title="Where to ask">
      <p className="soft">
        Send each request there with its own method, path and headers: 200 lets it pass, with headers to set; any other
        answer is for the visitor. The folder <code>docs/edge</code> has whole configurations for nginx, Caddy and
        Envoy.
      </p>
      <div className="secret">
        <code>{address}</code>
        <CopyButton text={address} label="Copy the address" />
      </div>
      <div className="secret">
        <code>{line}</code>
        <CopyButton text={line} label="Copy the line" />
      </div>
    </Card>
  )
}

const ways = [
  ['open', 'Let it pass', 'Visitors notice nothing, and for that time no rule protects you.'],
  ['closed', 'Refuse it', 'No rule is ever left out, and for that time nobody gets in.'],
] as const

function Failure() {
  const { client, place } = useSession()
  const scope = { zone: place.id }
  const settings = useAnswer((signal) => client.call(edge.viewEdgeSettings, { scope, signal }), [scope])
  const change = useAction(async (on_failure: 'open' | 'closed') => {
    await client.call(edge.updateEdgeSettings, { scope, body: { on_failure } })
    settings.again()
  })
  return (
    <Card title="When a request cannot be decided">
      <Problem error={settings.error} onRetry={settings.again} />
      <Problem error={change.error} />
      {!settings.value && !settings.error && <Loading what="the setting" />}
      {settings.value && (
        <div className="kinds">
          {ways.map(([way, title, says]) => (
            <button
              key={way}
              type="button"
              aria-pressed={settings.value?.on_failure === way}
              disabled={change.isRunning}
              onClick={() => void change.run(way)}
            >
              <b>{title}</b>
              <span>{says}</span>
            </button>
          ))}
        </div>
      )}
      {settings.value?.on_failure === 'closed' && (
        <Notice tone="warn">When this service is down, {place.name} is down too.</Notice>
      )}
    </Card>
  )
}
