/** Who did what, when and how, in the account of the place. */
import { Fragment, useState } from 'react'
import { audit, type QueryOf, type ResultOf } from '../../../src/contract/index.ts'
import { useAction, useAnswer } from '../asking.ts'
import { counted, when } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { Problem } from '../parts/notice.tsx'
import { Badge, Empty, Loading, Page } from '../parts/page.tsx'
import { useSession } from '../session.tsx'

type Entry = ResultOf<typeof audit.listAccountAudit>[number]
type Filters = {
  readonly action: string
  readonly email: string
  readonly ip: string
  readonly since: string
  readonly before: string
}

const noFilters: Filters = { action: '', email: '', ip: '', since: '', before: '' }
const perPage = 50

export function AuditPage() {
  const { client, place } = useSession()
  const scope = { account: place.account.id }
  const [filters, setFilters] = useState(noFilters)
  const [asked, setAsked] = useState(noFilters)
  const [page, setPage] = useState(1)
  const entries = useAnswer(
    (signal) =>
      client.ask(audit.listAccountAudit, { scope, query: { ...queryOf(asked), page, per_page: perPage }, signal }),
    [scope, asked, page],
  )
  const download = useAction(async () => {
    const response = await client.open(audit.listAccountAudit, { scope, query: { ...queryOf(asked), export: true } })
    saveAs(await response.blob(), 'audit.csv')
  })
  const set = (part: Partial<Filters>) => setFilters({ ...filters, ...part })
  const pages = Number(entries.value?.result_info?.total_pages ?? 1)
  const total = Number(entries.value?.result_info?.total_count ?? 0)
  return (
    <Page
      title="Audit"
      says={`Every change in ${place.account.name}, with its author and the way it came: UI, API or CLI.`}
      actions={
        <Button isBusy={download.isRunning} onClick={() => void download.run()}>
          Download CSV
        </Button>
      }
    >
      <form
        className="card"
        onSubmit={(event) => {
          event.preventDefault()
          setPage(1)
          setAsked(filters)
        }}
      >
        <div className="columns">
          <TextField
            label="Action"
            value={filters.action}
            onChange={(action) => set({ action })}
            placeholder="create"
          />
          <TextField label="Author’s e-mail" value={filters.email} onChange={(email) => set({ email })} />
          <TextField
            label="Author’s address"
            value={filters.ip}
            onChange={(ip) => set({ ip })}
            placeholder="192.0.2.0/24"
          />
          <TextField
            label="Since"
            type="datetime-local"
            step="1"
            value={filters.since}
            onChange={(since) => set({ since })}
          />
          <TextField
            label="Before"
            type="datetime-local"
            step="1"
            value={filters.before}
            onChange={(before) => set({ before })}
          />
        </div>
        <div className="row">
          <Button tone="main" type="submit">
            Filter
          </Button>
          <Button
            tone="quiet"
            onClick={() => {
              setFilters(noFilters)
              setAsked(noFilters)
              setPage(1)
            }}
          >
            Clear
          </Button>
        </div>
      </form>
      <Problem error={entries.error ?? download.error} onRetry={entries.again} />
      {!entries.value && !entries.error && <Loading what="the audit log" />}
      {entries.value && entries.value.result.length === 0 && <Empty title="Nothing fits these filters." />}
      {entries.value && entries.value.result.length > 0 && (
        <>
          <EntryTable entries={entries.value.result} />
          <div className="row spread">
            <span className="soft">{counted(total, 'entry', 'entries')}</span>
            <span className="row">
              <Button disabled={page <= 1} onClick={() => setPage(page - 1)}>
                Newer
              </Button>
              <span className="numeric">
                {page} / {Math.max(1, pages)}
              </span>
              <Button disabled={page >= pages} onClick={() => setPage(page + 1)}>
                Older
              </Button>
            </span>
          </div>
        </>
      )}
    </Page>
  )
}

function EntryTable({ entries }: { readonly entries: readonly Entry[] }) {
  const [open, setOpen] = useState<string>()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className="table-wrap" aria-label="Audit entries" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th>
              <span className="visually-hidden">Open</span>
            </th>
            <th>When</th>
            <th>Who</th>
            <th>Action</th>
            <th>On</th>
            <th>By</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <Fragment key={entry.id}>
              <tr>
                <td>
                  <button
                    type="button"
                    className="opener"
                    aria-expanded={open === entry.id}
                    aria-label={`${entry.action.type} by ${entry.actor.email} at ${when(entry.when)}`}
                    onClick={() => setOpen(open === entry.id ? undefined : entry.id)}
                  >
                    <Icon name="right" />
                  </button>
                </td>
                <td className="nowrap numeric">{when(entry.when)}</td>
                <td>
                  {entry.actor.email || entry.actor.type} <span className="soft">{entry.actor.ip}</span>
                </td>
                <td>
                  {entry.action.type} {!entry.action.result && <Badge tone="bad">failed</Badge>}
                </td>
                <td className="break">
                  {entry.resource.type} <code className="soft">{entry.resource.id}</code>
                </td>
                <td>
                  <Badge tone={entry.interface === 'UI' ? 'accent' : 'calm'}>{entry.interface}</Badge>
                </td>
              </tr>
              {open === entry.id && (
                <tr className="opened">
                  <td colSpan={6}>
                    <Values entry={entry} />
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Values({ entry }: { readonly entry: Entry }) {
  return (
    <div className="audit-values">
      {(['oldValue', 'newValue'] as const).map((side) => (
        <div key={side}>
          <span className="label">{side === 'oldValue' ? 'Before' : 'After'}</span>
          <pre>{pretty(entry[side]) || '–'}</pre>
        </div>
      ))}
    </div>
  )
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function queryOf({ action, email, ip, since, before }: Filters): Partial<QueryOf<typeof audit.listAccountAudit>> {
  return {
    ...(action === '' ? {} : { 'action.type': action }),
    ...(email === '' ? {} : { 'actor.email': email }),
    ...(ip === '' ? {} : { 'actor.ip': ip }),
    ...(since === '' ? {} : { since: new Date(since).toISOString() }),
    ...(before === '' ? {} : { before: new Date(before).toISOString() }),
  }
}

function saveAs(blob: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
