/** Zones: list, create, delete. */
import { access } from '../../contract/index.ts'
import { command, UsageError } from '../command.ts'
import { accountFlag, connect, connectFlags } from '../connect.ts'
import { print, table } from '../table.ts'

export const zoneCommands = [
  command({
    name: 'zones list',
    says: 'Zones you can see.',
    flags: { ...connectFlags, ...accountFlag, name: { type: 'string', says: 'Only the zone of this name.' } },
    async run(terminal, given) {
      const query = {
        ...(given.name === undefined ? {} : { name: given.name }),
        ...(given.account === undefined ? {} : { 'account.id': given.account }),
      }
      const zones = await Array.fromAsync(connect(given).client.all(access.listZones, { query }))
      print(terminal, given, zones, () =>
        table(
          terminal,
          ['id', 'name', 'account', 'created'],
          zones.map((zone) => [zone.id, zone.name, zone.account.name, zone.created_on]),
        ),
      )
      return 0
    },
  }),
  command({
    name: 'zones create',
    says: 'Add a zone to an account.',
    takes: '<domain>',
    flags: { ...connectFlags, ...accountFlag },
    async run(terminal, given, [name]) {
      if (!name) throw new UsageError('say the domain name')
      const { client, account } = connect(given)
      const zone = await client.call(access.createZone, { body: { name, account: { id: account() } } })
      print(terminal, given, zone, () => `Zone ${zone.id} (${zone.name}) is there.`)
      return 0
    },
  }),
  command({
    name: 'zones delete',
    says: 'Delete a zone with its jobs and rulesets.',
    takes: '<id>',
    flags: connectFlags,
    async run(terminal, given, [id]) {
      if (!id) throw new UsageError('say the id of the zone')
      const gone = await connect(given).client.call(access.deleteZone, { scope: { zone: id } })
      print(terminal, given, gone, () => `Zone ${gone.id} is gone.`)
      return 0
    },
  }),
]
