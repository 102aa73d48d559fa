/** Lists: list, create, delete, and their items. */
import { isId } from '../../base/index.ts'
import { lists } from '../../contract/index.ts'
import { CommandError, command, type Flags, UsageError } from '../command.ts'
import { accountFlag, type Connection, connect, connectFlags } from '../connect.ts'
import { readDocument } from '../ruleset-file.ts'
import { print, table } from '../table.ts'

const flags = { ...connectFlags, ...accountFlag } as const satisfies Flags

/** A list by its id or its name. */
async function find({ client, account }: Connection, word: string | undefined) {
  if (!word) throw new UsageError('say the list, by id or by name')
  const scope = { account: account() }
  if (isId(word)) return { scope, params: { list_id: word } }
  const found = (await client.call(lists.listLists, { scope })).find((list) => list.name === word)
  if (!found) throw new CommandError(`there is no list named ${word}`)
  return { scope, params: { list_id: found.id } }
}

export const listCommands = [
  command({
    name: 'lists list',
    says: 'Lists of an account.',
    flags,
    async run(terminal, given) {
      const { client, account } = connect(given)
      const found = await client.call(lists.listLists, { scope: { account: account() } })
      print(terminal, given, found, () =>
        table(
          terminal,
          ['id', 'name', 'kind', 'items', 'description'],
          found.map((list) => [list.id, list.name, list.kind, String(list.num_items), list.description]),
        ),
      )
      return 0
    },
  }),
  command({
    name: 'lists create',
    says: 'Make an empty list.',
    takes: '<name> <kind>',
    flags: { ...flags, description: { type: 'string', says: 'For people.' } },
    more: 'Kinds: ip, hostname, asn, string, redirect. Expressions name it as $<name>.',
    async run(terminal, given, [name, kind]) {
      if (!name || !kind) throw new UsageError('say the name and the kind')
      const { client, account } = connect(given)
      const described = given.description === undefined ? {} : { description: given.description }
      const body = { name, kind: kind as 'ip', ...described }
      const made = await client.call(lists.createList, { scope: { account: account() }, body })
      print(terminal, given, made, () => `List ${made.id} (${made.name}) is there.`)
      return 0
    },
  }),
  command({
    name: 'lists delete',
    says: 'Delete a list that no rule uses.',
    takes: '<id|name>',
    flags,
    async run(terminal, given, [word]) {
      const connection = connect(given)
      const gone = await connection.client.call(lists.deleteList, await find(connection, word))
      print(terminal, given, gone, () => `List ${gone.id} is gone.`)
      return 0
    },
  }),
  command({
    name: 'lists items',
    says: 'Items of a list.',
    takes: '<id|name>',
    flags,
    async run(terminal, given, [word]) {
      const connection = connect(given)
      const items = await Array.fromAsync(connection.client.all(lists.listItems, await find(connection, word)))
      const value = ({ id: _, comment: _c, created_on: _m, modified_on: _n, ...rest }: (typeof items)[number]) =>
        Object.values(rest).map((one) => (typeof one === 'object' ? JSON.stringify(one) : String(one)))
      print(terminal, given, items, () =>
        table(
          terminal,
          ['id', 'value', 'comment'],
          items.map((item) => [item.id, value(item).join(' '), String(item.comment ?? '')]),
        ),
      )
      return 0
    },
  }),
  command({
    name: 'lists add',
    says: 'Add the items of a file to a list.',
    takes: '<id|name> <file>',
    flags: { ...flags, replace: { type: 'boolean', says: 'Replace all items by those of the file.' } },
    more: 'The file is JSON or YAML, a list of items such as {"ip": "192.0.2.0/24", "comment": "office"}.',
    async run(terminal, given, [word, path]) {
      if (!path) throw new UsageError('say the file')
      const connection = connect(given)
      const call = { ...(await find(connection, word)), body: await readDocument(terminal, path) }
      const list = await connection.client.call(given.replace ? lists.replaceItems : lists.addItems, call)
      print(terminal, given, list, () => `List ${list.name} holds ${list.num_items} items.`)
      return 0
    },
  }),
  command({
    name: 'lists remove',
    says: 'Remove items from a list by their ids.',
    takes: '<id|name> <item...>',
    flags,
    async run(terminal, given, [word, ...items]) {
      if (items.length === 0) throw new UsageError('say the ids of the items')
      const connection = connect(given)
      const body = { items: items.map((id) => ({ id })) }
      const list = await connection.client.call(lists.removeItems, { ...(await find(connection, word)), body })
      print(terminal, given, list, () => `List ${list.name} holds ${list.num_items} items.`)
      return 0
    },
  }),
]
