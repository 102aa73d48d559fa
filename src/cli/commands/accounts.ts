/** Accounts: list, create, rename, delete. */
import { access } from '../../contract/index.ts'
import { command, UsageError } from '../command.ts'
import { accountFlag, connect, connectFlags } from '../connect.ts'
import { print, table } from '../table.ts'

export const accountCommands = [
  command({
    name: 'accounts list',
    says: 'Accounts you can see.',
    flags: connectFlags,
    async run(terminal, given) {
      const accounts = await Array.fromAsync(connect(given).client.all(access.listAccounts, {}))
      print(terminal, given, accounts, () =>
        table(
          terminal,
          ['id', 'name', 'created'],
          accounts.map((one) => [one.id, one.name, one.created_on]),
        ),
      )
      return 0
    },
  }),
  command({
    name: 'accounts create',
    says: 'Make an account (super administrators).',
    takes: '<name>',
    flags: connectFlags,
    async run(terminal, given, [name]) {
      if (!name) throw new UsageError('say the name of the account')
      const account = await connect(given).client.call(access.createAccount, { body: { name } })
      print(terminal, given, account, () => `Account ${account.id} (${account.name}) is there.`)
      return 0
    },
  }),
  command({
    name: 'accounts rename',
    says: 'Give an account another name.',
    takes: '<name>',
    flags: { ...connectFlags, ...accountFlag },
    async run(terminal, given, [name]) {
      if (!name) throw new UsageError('say the new name')
      const { client, account } = connect(given)
      const renamed = await client.call(access.updateAccount, { scope: { account: account() }, body: { name } })
      print(terminal, given, renamed, () => `Account ${renamed.id} is now called ${renamed.name}.`)
      return 0
    },
  }),
  command({
    name: 'accounts delete',
    says: 'Delete an account that has no zones left (super administrators).',
    takes: '<id>',
    flags: connectFlags,
    async run(terminal, given, [id]) {
      if (!id) throw new UsageError('say the id of the account')
      const gone = await connect(given).client.call(access.deleteAccount, { scope: { account: id } })
      print(terminal, given, gone, () => `Account ${gone.id} is gone.`)
      return 0
    },
  }),
]
