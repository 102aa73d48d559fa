/** The audit log. */
import { audit } from '../../contract/index.ts'
import { command } from '../command.ts'
import { accountFlag, connect, connectFlags } from '../connect.ts'
import { print, table } from '../table.ts'

export const auditCommands = [
  command({
    name: 'audit',
    says: 'What was done in an account, newest first.',
    flags: {
      ...connectFlags,
      ...accountFlag,
      since: { type: 'string', value: '<time>', says: 'Not before this date or time.' },
      before: { type: 'string', value: '<time>', says: 'Before this date or time.' },
      action: { type: 'string', value: '<type>', says: 'create, update or delete.' },
      actor: { type: 'string', value: '<email>', says: 'Only what this user did.' },
      limit: { type: 'string', value: '<n>', says: 'How many entries, 50 unless said.' },
    },
    async run(terminal, given) {
      const { client, account } = connect(given)
      const entries = await client.call(audit.listAccountAudit, {
        scope: { account: account() },
        query: {
          per_page: Number(given.limit ?? 50),
          ...(given.since ? { since: given.since } : {}),
          ...(given.before ? { before: given.before } : {}),
          ...(given.action ? { 'action.type': given.action } : {}),
          ...(given.actor ? { 'actor.email': given.actor } : {}),
        },
      })
      print(terminal, given, entries, () =>
        table(
          terminal,
          ['when', 'who', 'by', 'action', 'resource', 'new'],
          entries.map((entry) => [
            entry.when,
            entry.actor.email,
            entry.interface,
            entry.action.type,
            `${entry.resource.type} ${entry.resource.id}`,
            entry.newValue,
          ]),
        ),
      )
      return 0
    },
  }),
]
