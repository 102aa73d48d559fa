/** The port: our service answers there, or it is free and may be opened; and whoever holds the data directory is that service. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Config } from '../../config.ts'
import { type Check, doubtful, fine, type Note, sayError, wrong } from '../finding.ts'

export const port: Check = {
  name: 'port',
  says: 'The service answers on its port, or the port is free.',
  async look({ config, data, isHeld }) {
    const where = addressOf(config)
    if (config.port === 0) return [fine(where, 'A free port is taken at the start.')]
    const answered = await ask(where)
    if (answered === 'ready')
      return [isHeld || config.databaseUrl ? fine(where, 'Spillway answers and is ready.') : elsewhere(where, data)]
    if (answered === 'not ready')
      return [wrong(where, 'Spillway answers, but is not ready.', `Look what it waits for: curl ${where}/readyz`)]
    const notes = isHeld ? [heldBySilent(where, data)] : []
    const trouble = await listening(config)
    return [...notes, trouble ?? fine(where, 'The port is free.')]
  },
}

const elsewhere = (where: string, data: string): Note =>
  doubtful(
    where,
    `A Spillway answers there, but nothing holds ${data}: it works on another data directory.`,
    'Set SPILLWAY_DATA or SPILLWAY_PORT as for that service.',
  )

const heldBySilent = (where: string, data: string): Note =>
  wrong(
    data,
    `A process holds it, but no Spillway answers on ${where}.`,
    'Set SPILLWAY_HOST and SPILLWAY_PORT as for the running service, or end the process that hangs (fuser on the file "lock" there names it).',
  )

/** Where to ask: a service that listens on all addresses answers on this machine's own. */
function addressOf({ host, port: number }: Config): string {
  const asked = ({ '0.0.0.0': '127.0.0.1', '::': '::1' } as Readonly<Record<string, string>>)[host] ?? host
  return `http://${asked.includes(':') ? `[${asked}]` : asked}:${number}`
}

async function ask(address: string): Promise<'ready' | 'not ready' | undefined> {
  try {
    const answer = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(5_000), redirect: 'manual' })
    const { status } = (await answer.json()) as { status?: unknown }
    return status === 'ready' || status === 'not ready' ? status : undefined
  } catch {
    return undefined
  }
}

/** Opens the port for a moment, as the service would. */
async function listening({ host, port: number }: Config): Promise<Note | undefined> {
  const server = createServer()
  try {
    server.listen({ host, port: number })
    await once(server, 'listening')
    return undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      return wrong(
        'SPILLWAY_PORT',
        `Another program has port ${number} on ${host}.`,
        'Stop it, or set SPILLWAY_PORT to a free one.',
      )
    if (code === 'EACCES')
      return wrong('SPILLWAY_PORT', `This user may not open port ${number}.`, 'Set SPILLWAY_PORT above 1023.')
    return wrong(
      'SPILLWAY_HOST',
      `${host} cannot be listened on: ${sayError(error)}`,
      'Set it to an address of this machine.',
    )
  } finally {
    server.close()
  }
}
