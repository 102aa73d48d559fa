/** Settings: each can be read, they go together, and the files they name are what they should be. */
import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import type { Config } from '../../config.ts'
import { openDatasets, StartupError } from '../../service.ts'
import { type Check, doubtful, fine, type Note, sayError, wrong } from '../finding.ts'

export const configuration: Check = {
  name: 'configuration',
  says: 'The settings can be read, go together, and name files that are there.',
  async look({ config, mistakes }) {
    const notes = [
      ...mistakes.map((mistake) =>
        wrong(
          mistake.split(' ')[0] ?? '',
          mistake,
          'Correct it or unset it; docs/reference/configuration.md says what it may be.',
        ),
      ),
      ...together(config),
      ...datasetFiles(config),
      ...certificates(config),
    ]
    return notes.length > 0 ? notes : [fine('SPILLWAY_*', 'Every setting can be read.')]
  },
}

function* together({
  databaseUrl,
  clickhouseUrl,
  secretKey,
  roles,
  demo,
  fileRoot,
  allowedNetworks,
}: Config): Generator<Note> {
  if (databaseUrl && clickhouseUrl && !secretKey)
    yield wrong(
      'SPILLWAY_SECRET_KEY',
      'PostgreSQL and ClickHouse are shared, but each process would seal secrets with a key of its own.',
      'Set the same key for every process; openssl rand -base64 32 makes one.',
    )
  if (!clickhouseUrl && roles.length < 3)
    yield wrong(
      'SPILLWAY_ROLES',
      `This process does only ${roles.join(' and ')}, but its records are in the embedded engine, which no other process reaches.`,
      'Unset SPILLWAY_ROLES, or set SPILLWAY_CLICKHOUSE_URL for every process.',
    )
  if (demo && fileRoot === undefined)
    yield doubtful('SPILLWAY_DEMO', 'The demo writes files, and file:// is off.', 'Set SPILLWAY_FILE_ROOT.')
  if (allowedNetworks.some((block) => /\/0$/.test(block)))
    yield doubtful(
      'SPILLWAY_ALLOWED_NETWORKS',
      'Every private address is allowed, the metadata service of a cloud machine included.',
      'Name only the networks your destinations are in.',
    )
}

function* datasetFiles(config: Config): Generator<Note> {
  try {
    openDatasets(config)
  } catch (error) {
    if (!(error instanceof StartupError)) throw error
    yield wrong(
      'SPILLWAY_DATASETS',
      error.message,
      'Correct the file, or set SPILLWAY_DATASETS to the right directory.',
    )
  }
}

function* certificates({ caFile }: Config): Generator<Note> {
  if (caFile === undefined) return
  const todo = 'Point it to a PEM file with the certificates of your authorities.'
  if (!existsSync(caFile)) return yield wrong('SPILLWAY_CA_FILE', `There is no file ${caFile}.`, todo)
  try {
    const { validToDate, subject } = new X509Certificate(readFileSync(caFile))
    if (validToDate < new Date())
      yield doubtful('SPILLWAY_CA_FILE', `The certificate of ${subject} ended ${validToDate.toISOString()}.`, todo)
  } catch (error) {
    yield wrong('SPILLWAY_CA_FILE', `${caFile} holds no certificate: ${sayError(error)}`, todo)
  }
}
