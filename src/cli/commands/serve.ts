/** Starts the service, and migrates the metadata database by itself. */
import { once } from 'node:events'
import { resolve } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { sayReasons } from '../../base/index.ts'
import { type Config, readConfig, settings } from '../../config.ts'
import type { Service } from '../../service.ts'
import { CommandError, command, type Terminal } from '../command.ts'
import { print } from '../table.ts'

function configured(): Config {
  const config = readConfig()
  if (!config.ok) throw new CommandError(sayReasons(config.reasons))
  return config.value
}

/** Loaded when it is needed: it leads to every room, and no other command should wait for that. */
const loadService = () => import('../../service.ts')

/** A mistake of whoever starts the service, in one line. */
async function inOneLine<T>(work: Promise<T>): Promise<T> {
  const { StartupError } = await loadService()
  return work.catch((error: unknown) => {
    throw error instanceof StartupError ? new CommandError(error.message) : error
  })
}

export const serveCommands = [
  command({
    name: 'serve',
    says: 'Start the service; everything is set by SPILLWAY_* variables (docs/reference/configuration.md).',
    flags: {},
    insteadOf(flag) {
      const name = `SPILLWAY_${flag.toUpperCase().replaceAll('-', '_')}`
      const isSetting = Object.values(settings).some((setting) => setting.name === name)
      return isSetting ? `set ${name} in the environment` : undefined
    },
    async run(terminal) {
      const config = configured()
      // Records pass in large pieces outside the heap, and V8 would look through the whole heap for every 12 MB of them.
      // CPU-seconds a second at 20 MB/s: 0.43; with 150 % 0.25; with 400 % 0.25, for 30 MB more. With 2,000 reads a second
      // beside it, 0.94 (half of the reads within 1,513 ms); 0.88 (94 ms); 0.83 (16 ms), for the same memory.
      setFlagsFromString('--heap-growing-percent=400')
      const { openService } = await loadService()
      const service = await inOneLine(openService(config))
      greet(terminal, config, service)
      if (!terminal.signal.aborted) await once(terminal.signal, 'abort')
      await service.close()
      return 0
    },
  }),
  command({
    name: 'migrate',
    says: 'Bring the metadata database to the newest form, and stop. "serve" does it by itself.',
    flags: { json: { type: 'boolean', says: 'Print the names of the migrations that were run as JSON.' } },
    async run(terminal, given) {
      const { migrateOnly } = await loadService()
      const done = await inOneLine(migrateOnly(configured()))
      print(terminal, given, done, () =>
        done.length === 0 ? 'The database is up to date.' : done.map((name) => `ran ${name}`).join('\n'),
      )
      return 0
    },
  }),
]

function greet(terminal: Terminal, config: Config, { url, firstRun, demo }: Service): void {
  const lines = [
    `Spillway listens on ${url}`,
    `  console   ${url}/`,
    `  API       ${url}/docs`,
    `  data      ${resolve(config.data)}`,
  ]
  if (firstRun) {
    lines.push(
      `  e-mail    ${firstRun.email}`,
      `  API key   ${firstRun.key}   (shown once; kept in first-run.json)`,
      `  account   ${firstRun.account_id}`,
      `  zone      ${firstRun.zone_id}`,
    )
  }
  if (demo)
    lines.push(
      '',
      `A demo job carries a trickle of records to files; the first appears within a minute below`,
      `  ${demo}`,
    )
  if (firstRun) {
    lines.push(
      '',
      'Try:',
      `  curl -H 'X-Auth-Email: ${firstRun.email}' -H 'X-Auth-Key: ${firstRun.key}' ${firstRun.base_url}/zones`,
    )
  }
  if (demo)
    lines.push('  npx spillway jobs list', '  npx spillway generate --dataset http_requests --rate 100 --seconds 10')
  terminal.out(lines.join('\n'))
}
