/** Users: who you are, and the members of an account. */
import { access } from '../../contract/index.ts'
import { command, UsageError } from '../command.ts'
import { accountFlag, connect, connectFlags } from '../connect.ts'
import { print, table } from '../table.ts'

type RoleName = 'administrator' | 'log share' | 'log share reader' | 'rulesets editor' | 'read only'
const flags = { ...connectFlags, ...accountFlag }

export const userCommands = [
  command({
    name: 'users me',
    says: 'Whose credentials these are.',
    flags: connectFlags,
    async run(terminal, given) {
      const user = await connect(given).client.call(access.viewUser, {})
      print(terminal, given, user, () =>
        [
          `${user.email}${user.super_administrator ? ' (super administrator)' : ''}`,
          ...user.organizations.map((account) => `  ${account.roles.join(', ')} in ${account.name} (${account.id})`),
        ].join('\n'),
      )
      return 0
    },
  }),
  command({
    name: 'users list',
    says: 'Members of an account and their roles.',
    flags,
    async run(terminal, given) {
      const { client, account } = connect(given)
      const members = await client.call(access.listMembers, { scope: { account: account() } })
      print(terminal, given, members, () =>
        table(
          terminal,
          ['id', 'email', 'role', 'since'],
          members.map((one) => [one.id, one.email, one.roles[0]?.name ?? '', one.created_on]),
        ),
      )
      return 0
    },
  }),
  command({
    name: 'users add',
    says: 'Give a user a role in an account; a new address gets an API key, shown once.',
    takes: '<email>',
    flags: {
      ...flags,
      role: {
        type: 'string',
        value: '<role>',
        says: 'administrator, "log share", "log share reader", "rulesets editor" or "read only" (the default).',
      },
    },
    async run(terminal, given, [email]) {
      if (!email) throw new UsageError('say the e-mail address')
      const { client, account } = connect(given)
      const role = (given.role ?? 'read only') as RoleName
      const member = await client.call(access.addMember, { scope: { account: account() }, body: { email, role } })
      print(terminal, given, member, () =>
        [
          `${member.email} is now ${role}.`,
          ...(member.api_key ? [`API key, shown this once: ${member.api_key}`] : []),
        ].join('\n'),
      )
      return 0
    },
  }),
  command({
    name: 'users role',
    says: 'Change the role of a member.',
    takes: '<member id> <role>',
    flags,
    async run(terminal, given, [id, role]) {
      if (!id || !role) throw new UsageError('say the member id and the role')
      const { client, account } = connect(given)
      const member = await client.call(access.changeRole, {
        scope: { account: account() },
        params: { member_id: id },
        body: { role: role as RoleName },
      })
      print(terminal, given, member, () => `${member.email} is now ${role}.`)
      return 0
    },
  }),
  command({
    name: 'users remove',
    says: 'End a membership, and the tokens that the member made.',
    takes: '<member id>',
    flags,
    async run(terminal, given, [id]) {
      if (!id) throw new UsageError('say the member id')
      const { client, account } = connect(given)
      const gone = await client.call(access.removeMember, { scope: { account: account() }, params: { member_id: id } })
      print(terminal, given, gone, () => `Member ${gone.id} is gone.`)
      return 0
    },
  }),
  command({
    name: 'users roll-key',
    says: 'Replace your API key; the old one ends at once.',
    flags: connectFlags,
    async run(terminal, given) {
      const { api_key } = await connect(given).client.call(access.rollKey, {})
      print(terminal, given, { api_key }, () => `API key, shown this once: ${api_key}`)
      return 0
    },
  }),
]
