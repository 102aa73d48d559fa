/** The metadata database: it answers, it is new enough, and its tables are those of this version. */
import { describeDatabase, migrationState } from '../../db/index.ts'
import { type Check, doubtful, fine, type Note, type Patient, sayError, wrong } from '../finding.ts'

const oldestPostgres = 14

export const database: Check = {
  name: 'database',
  says: 'The metadata database answers, is new enough and has the tables of this version.',
  async look(patient) {
    const { config, data, database: opened } = patient
    const where = config.databaseUrl ? 'SPILLWAY_DATABASE_URL' : data
    if (!opened) return [fine(where, 'There is no database yet; the first start makes it.')]
    const todo = config.databaseUrl
      ? 'Start it, or correct the address, the user or the password in SPILLWAY_DATABASE_URL.'
      : 'Restore spillway.db from a backup, or run this as the user of the service.'
    if ('trouble' in opened) return [wrong(where, `It cannot be opened: ${opened.trouble}`, todo)]
    try {
      const { version } = await describeDatabase(opened)
      return [...age(where, version), ...(await tables(patient, where))]
    } catch (error) {
      return [wrong(where, `It does not answer as it should: ${sayError(error)}`, todo)]
    }
  },
}

function age(where: string, version: string): Note[] {
  const [, major] = /^PostgreSQL (\d+)/.exec(version) ?? []
  return major !== undefined && Number(major) < oldestPostgres
    ? [doubtful(where, `${version} is older than what is tested.`, `Use PostgreSQL ${oldestPostgres} or newer.`)]
    : [fine(where, `${version} answers.`)]
}

async function tables({ database: opened, isHeld }: Patient, where: string): Promise<Note[]> {
  if (!opened || 'trouble' in opened) return []
  const { ran, pending, unknown } = await migrationState(opened.db)
  if (unknown.length > 0)
    return [
      wrong(
        where,
        `It was made by a newer version: this one does not know ${unknown.join(', ')}.`,
        'Install that version again; there is no way back but a backup.',
      ),
    ]
  if (ran.length === 0) return [fine(where, 'It is empty; the first start makes the tables.')]
  if (pending.length === 0) return [fine(where, `All ${ran.length} migrations have run.`)]
  return [
    wrong(
      where,
      `Migrations have not run yet: ${pending.join(', ')}.`,
      isHeld
        ? 'Start the service again: an older version is running.'
        : 'Run "spillway migrate", or start the service, which does it.',
    ),
  ]
}
