/** The audit log, as JSON or, when asked to export, as CSV. */
import { type AccessNeeds, type AuditQuery, listAudit } from '../../access/index.ts'
import { audit } from '../../contract/index.ts'
import type { Bind } from '../bind.ts'

export function bindAudit(bind: Bind, needs: AccessNeeds): void {
  const answer = async (whose: Parameters<typeof listAudit>[1], query: AuditQuery & { export?: boolean }) => {
    const page = await listAudit(needs, whose, query)
    return query.export ? { type: 'text/csv; charset=utf-8', body: csv(page.items) } : page
  }
  bind(audit.listAccountAudit, ({ scope, query }) => answer({ account: scope.id }, query))
  bind(audit.listUserAudit, ({ query }, caller) => answer({ user: caller.user.id }, query))
}

type Entry = Awaited<ReturnType<typeof listAudit>>['items'][number]

function csv(entries: readonly Entry[]): string {
  const header =
    'when,actor.email,actor.ip,actor.type,interface,action.type,resource.type,resource.id,oldValue,newValue,id'
  const rows = entries.map((entry) =>
    [
      entry.when,
      entry.actor.email,
      entry.actor.ip,
      entry.actor.type,
      entry.interface,
      entry.action.type,
      entry.resource.type,
      entry.resource.id,
      entry.oldValue,
      entry.newValue,
      entry.id,
    ]
      .map(cell)
      .join(','),
  )
  return `${[header, ...rows].join('\r\n')}\r\n`
}

/** Quoted by RFC 4180; a leading sign that a spreadsheet would run as a formula is made text. */
const cell = (text: string): string => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`
