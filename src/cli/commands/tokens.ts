/** API tokens of an account: list, create, revoke, verify. */
import { access, type BodyOf } from '../../contract/index.ts'
import { command, UsageError } from '../command.ts'
import { accountFlag, connect, connectFlags } from '../connect.ts'
import { print, table } from '../table.ts'

type Permissions = BodyOf<typeof access.createToken>['permissions']
const flags = { ...connectFlags, ...accountFlag }

export const tokenCommands = [
  command({
    name: 'tokens list',
    says: 'API tokens of an account.',
    flags,
    async run(terminal, given) {
      const { client, account } = connect(given)
      const tokens = await client.call(access.listTokens, { scope: { account: account() } })
      print(terminal, given, tokens, () =>
        table(
          terminal,
          ['id', 'name', 'status', 'permissions', 'zones', 'expires'],
          tokens.map((one) => [
            one.id,
            one.name,
            one.status,
            one.permissions.join(','),
            one.zones?.join(',') ?? 'all',
            one.expires_on ?? 'never',
          ]),
        ),
      )
      return 0
    },
  }),
  command({
    name: 'tokens create',
    says: 'Make an API token; its secret is shown once.',
    takes: '<name>',
    flags: {
      ...flags,
      permission: {
        type: 'string',
        multiple: true,
        value: '<name>',
        says: 'logs:read, logs:edit, logs:ingest, rulesets:read, rulesets:edit, edge:decide or account:admin.',
      },
      'only-zone': { type: 'string', multiple: true, value: '<id>', says: 'Only in this zone.' },
      expires: { type: 'string', value: '<time>', says: 'When it ends, RFC 3339.' },
    },
    more: 'Example: spillway tokens create edge-1 --permission logs:ingest --only-zone 0123456789abcdef0123456789abcdef',
    async run(terminal, given, [name]) {
      if (!name || !given.permission) throw new UsageError('say the name, and at least one --permission')
      const { client, account } = connect(given)
      const token = await client.call(access.createToken, {
        scope: { account: account() },
        body: {
          name,
          permissions: [...given.permission] as Permissions,
          ...(given['only-zone'] ? { zones: [...given['only-zone']] } : {}),
          ...(given.expires ? { expires_on: given.expires } : {}),
        },
      })
      print(
        terminal,
        given,
        token,
        () => `Token ${token.id} (${token.name}). Its secret, shown this once: ${token.value}`,
      )
      return 0
    },
  }),
  command({
    name: 'tokens revoke',
    says: 'End an API token.',
    takes: '<id>',
    flags,
    async run(terminal, given, [id]) {
      if (!id) throw new UsageError('say the id of the token')
      const { client, account } = connect(given)
      const gone = await client.call(access.revokeToken, { scope: { account: account() }, params: { token_id: id } })
      print(terminal, given, gone, () => `Token ${gone.id} is gone.`)
      return 0
    },
  }),
  command({
    name: 'tokens verify',
    says: 'Tell whether a token is good.',
    flags: connectFlags,
    async run(terminal, given) {
      const token = await connect(given).client.call(access.verifyToken, {})
      print(terminal, given, token, () => `Token ${token.id} is ${token.status}.`)
      return 0
    },
  }),
]
