/** Destinations, before there is a job. */
import { logexport } from '../../contract/index.ts'
import { command } from '../command.ts'
import { connect, connectFlags, scopeFlags } from '../connect.ts'
import { destinationFrom, maskedConf } from '../prove.ts'
import { print } from '../table.ts'

export const destinationCommands = [
  command({
    name: 'destinations check',
    says: 'Try to write to a destination, and tell whether a job already does.',
    takes: '<destination>',
    flags: { ...connectFlags, ...scopeFlags },
    more: 'Leaves a small object named test.txt.gz there, or one such record. Exit code 1 when it cannot be written to.',
    async run(terminal, given, [word]) {
      const body = { destination_conf: await destinationFrom(terminal, word) }
      const { client, scope: find } = connect(given)
      const scope = await find()
      const verdict = await client.call(logexport.checkDestination, { scope, body })
      // A string that names no destination cannot be asked about.
      const exists = verdict.valid && (await client.call(logexport.destinationExists, { scope, body })).exists
      const conf = maskedConf(body.destination_conf)
      const taken = exists ? ' A job already writes there: choose another directory.' : ''
      print(terminal, given, { ...verdict, exists }, () =>
        verdict.valid ? `${conf} can be written to.${taken}` : `${conf} cannot be used: ${verdict.message}`,
      )
      return verdict.valid ? 0 : 1
    },
  }),
]
