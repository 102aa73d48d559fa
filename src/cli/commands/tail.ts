/** Live tail: records of a zone on the terminal as they come in. */
import { tail } from '../../contract/index.ts'
import { CommandError, command, type Terminal, UsageError } from '../command.ts'
import { connect, connectFlags, scopeFlags } from '../connect.ts'

export const tailCommands = [
  command({
    name: 'tail',
    says: 'Print the records of a zone as they come in.',
    flags: {
      ...connectFlags,
      zone: scopeFlags.zone,
      fields: { type: 'string', value: '<a,b,c>', says: 'The fields to print; the default ones unless said.' },
      sample: { type: 'string', value: '<n>', says: 'One record in so many; all unless said.' },
      filter: { type: 'string', value: '<json>', says: 'Which records, as a job filters them.' },
      count: { type: 'string', value: '<n>', says: 'Stop after so many records.' },
    },
    more: `Records are JSON, one a line. A session lasts an hour, and a zone has one at a time.

  spillway tail --fields ClientIP,EdgeResponseStatus \\
    --filter '{"where":{"key":"EdgeResponseStatus","operator":"geq","value":500}}'`,
    async run(terminal, given) {
      const { client, scope } = connect(given)
      const most = given.count === undefined ? Number.POSITIVE_INFINITY : wholeNumber('count', given.count)
      const session = await client.call(tail.openTail, {
        scope: await scope(),
        body: {
          ...(given.fields === undefined ? {} : { fields: given.fields }),
          ...(given.sample === undefined ? {} : { sample: wholeNumber('sample', given.sample) }),
          ...(given.filter === undefined ? {} : { filter: given.filter }),
        },
      })
      await follow(terminal, session.destination_conf, most)
      return 0
    },
  }),
]

function wholeNumber(name: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`--${name} is a whole number above 0`)
  return Number(text)
}

/** Until the session is over, the user stops it, or enough records were printed. */
function follow(terminal: Terminal, address: string, most: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(address)
    let printed = 0
    terminal.signal.addEventListener('abort', () => socket.close(), { once: true })
    socket.addEventListener('message', ({ data }) => {
      for (const line of String(data).split('\n').filter(Boolean)) {
        const missed = /^\{"dropped":(\d+)\}$/.exec(line)?.[1]
        if (missed) terminal.err(`spillway: ${missed} records left out, because they came faster than they were read`)
        else if (printed < most) {
          terminal.out(harmless(line))
          printed += 1
        }
      }
      if (printed >= most) socket.close()
    })
    socket.addEventListener('error', () => reject(new CommandError('the session cannot be read, or broke off')))
    socket.addEventListener('close', ({ code, reason }) => {
      if (code === 1000 || code === 1005 || terminal.signal.aborted) resolve()
      else reject(new CommandError(`the session ended: ${reason || code}`))
    })
  })
}

/** JSON leaves these control characters as they are, and some terminals obey them; written as escapes they are the same text. */
export const harmless = (json: string): string =>
  json.replaceAll(/[\u007f-\u009f]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`)
