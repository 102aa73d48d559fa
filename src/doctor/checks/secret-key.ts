/** The key that seals secrets: closed to others, whole, and the one that the stored secrets were sealed with. */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { makeVault, type Vault } from '../../base/index.ts'
import { type Check, fine, type Note, type Patient, sayError, wrong } from '../finding.ts'

const restore = 'Restore it from a backup: without it the destinations of all jobs have to be said again.'

export const secretKey: Check = {
  name: 'secret key',
  says: 'The key file is closed to others and opens what is stored.',
  async look(patient) {
    const where = placeOf(patient)
    const notes = patient.config.secretKey ? [] : await theFile(where)
    const vault = await vaultOf(patient)
    if (notes.length > 0 || !vault)
      return notes.length > 0 ? notes : [fine(where, 'It is not there yet; the first start makes it.')]
    const jobs = await sealedOf(patient)
    const shut = jobs.filter(({ conf_sealed }) => openWith(vault, conf_sealed) === undefined)
    if (shut.length > 0)
      return [
        wrong(
          where,
          `It is not the key that ${sayJobs(shut)} ${shut.length > 1 ? 'were' : 'was'} sealed with.`,
          `${restore} Or set SPILLWAY_SECRET_KEY to what it was.`,
        ),
      ]
    return [fine(where, `It opens what ${jobs.length} ${jobs.length === 1 ? 'job stores' : 'jobs store'}.`)]
  },
}

const placeOf = ({ config, data }: Patient): string =>
  config.secretKey ? 'SPILLWAY_SECRET_KEY' : join(data, 'secret.key')

async function theFile(path: string): Promise<Note[]> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => error.code)
  if (found === 'ENOENT') return []
  if (typeof found !== 'object')
    return [wrong(path, `It cannot be looked at (${found}).`, 'Run this as the user of the service.')]
  const notes: Note[] = []
  if (found.mode & 0o077)
    notes.push(
      wrong(path, `Others may read it (mode ${(found.mode & 0o777).toString(8)}).`, `Close it: chmod 600 ${path}`),
    )
  const text = await readFile(path, 'utf8').catch((error: unknown) => ({ trouble: sayError(error) }))
  if (typeof text === 'object')
    notes.push(wrong(path, `It cannot be read: ${text.trouble}`, 'Run this as the user of the service.'))
  else if (keyOf(text).length !== 32) notes.push(wrong(path, 'It does not hold 32 bytes in base64.', restore))
  return notes
}

const keyOf = (text: string): Buffer => Buffer.from(text.trim(), 'base64')

/** What opens the stored secrets, or undefined while there is no key, or none that can be read. */
export async function vaultOf({ config, data }: Patient): Promise<Vault | undefined> {
  if (config.secretKey) return makeVault(config.secretKey)
  const key = keyOf(await readFile(join(data, 'secret.key'), 'utf8').catch(() => ''))
  return key.length === 32 ? makeVault(key) : undefined
}

export type SealedJob = {
  readonly id: number
  readonly enabled: number
  readonly conf_sealed: string
  readonly destination_identity: string
  readonly error_message: string | null
}

/** Every job, as it is stored; none while the tables are not there. */
export async function sealedOf({ database }: Patient): Promise<readonly SealedJob[]> {
  if (!database || 'trouble' in database) return []
  return database.db
    .selectFrom('jobs')
    .select(['id', 'enabled', 'conf_sealed', 'destination_identity', 'error_message'])
    .orderBy('id')
    .execute()
    .catch(() => [])
}

export function openWith(vault: Vault, sealed: string): string | undefined {
  try {
    return vault.open(sealed)
  } catch {
    return undefined
  }
}

const sayJobs = (jobs: readonly SealedJob[]): string => {
  const some = jobs.slice(0, 3).map(({ id }) => id)
  return `job${jobs.length > 1 ? 's' : ''} ${some.join(', ')}${jobs.length > 3 ? ` and ${jobs.length - 3} more` : ''}`
}
