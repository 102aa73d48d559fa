/** Proof that a destination is yours, step by step; `jobs create --prove` takes the steps together. */
import { logexport } from '../../contract/index.ts'
import { command, UsageError } from '../command.ts'
import { connect, connectFlags, scopeFlags } from '../connect.ts'
import { destinationFrom, howToRead } from '../prove.ts'
import { print } from '../table.ts'

const flags = { ...connectFlags, ...scopeFlags }

export const ownershipCommands = [
  command({
    name: 'ownership challenge',
    says: 'Write a challenge file to a destination; the token in it makes a job there within seven days.',
    takes: '<destination>',
    flags,
    async run(terminal, given, [word]) {
      const conf = await destinationFrom(terminal, word)
      const { client, scope } = connect(given)
      const body = { destination_conf: conf }
      const challenge = await client.call(logexport.issueChallenge, { scope: await scope(), body })
      print(terminal, given, challenge, ({ valid, message, filename }) =>
        valid
          ? `The challenge is ${filename}. ${howToRead(conf, filename)}\nThen: spillway jobs create <destination> --challenge <token>`
          : `The challenge could not be written: ${message}`,
      )
      return challenge.valid ? 0 : 1
    },
  }),
  command({
    name: 'ownership validate',
    says: 'Tell whether a token proves ownership of a destination.',
    takes: '<destination> <token>',
    flags,
    async run(terminal, given, [word, token]) {
      if (!token) throw new UsageError('say the destination and the token')
      const body = { destination_conf: await destinationFrom(terminal, word), ownership_challenge: token }
      const { client, scope } = connect(given)
      const verdict = await client.call(logexport.validateChallenge, { scope: await scope(), body })
      print(terminal, given, verdict, ({ valid }) =>
        valid
          ? 'The token proves ownership.'
          : 'The token does not prove ownership: it is for another zone, account or destination, or older than seven days. Ask again: spillway ownership challenge <destination>',
      )
      return verdict.valid ? 0 : 1
    },
  }),
]
