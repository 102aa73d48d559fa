/** Looks at a configuration as the service would start with it, or runs with it, and tells what is wrong. Nothing is changed. */
import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Clock, systemClock } from '../base/index.ts'
import { type Config, readLeniently } from '../config.ts'
import { openDatabase } from '../db/index.ts'
import { isHeld } from '../house-lock.ts'
import { clock } from './checks/clock.ts'
import { configuration } from './checks/configuration.ts'
import { database } from './checks/database.ts'
import { destinations } from './checks/destinations.ts'
import { disk } from './checks/disk.ts'
import { machine } from './checks/machine.ts'
import { port } from './checks/port.ts'
import { records } from './checks/records.ts'
import { secretKey } from './checks/secret-key.ts'
import { type Check, type Finding, type Patient, sayError } from './finding.ts'

export type { Finding, Level } from './finding.ts'

/** In the order in which one trouble explains the next. */
export const checks: readonly Check[] = [
  configuration,
  machine,
  disk,
  secretKey,
  database,
  records,
  clock,
  port,
  destinations,
]

type Environment = Readonly<Record<string, string | undefined>>

/** Each finding as it is made. The environment is that of the process and the clock that of the machine, unless a test has others. */
export async function* examine(
  environment?: Environment,
  { now = systemClock, asked = checks }: { readonly now?: Clock; readonly asked?: readonly Check[] } = {},
): AsyncGenerator<Finding> {
  const { config, reasons } = readLeniently(environment)
  const data = resolve(config.data)
  const opened = lookInto(config, data)
  const patient: Patient = {
    config,
    mistakes: reasons.map(({ message }) => message),
    data,
    now,
    isHeld: holds(data),
    database: opened,
  }
  try {
    for (const { name, look } of asked) for (const note of await look(patient)) yield { check: name, ...note }
  } finally {
    if (opened && 'db' in opened) await opened.close()
  }
}

function lookInto({ databaseUrl }: Config, data: string): Patient['database'] {
  try {
    if (!databaseUrl && !isThere(join(data, 'spillway.db'))) return undefined
    return openDatabase(databaseUrl ? { url: databaseUrl } : { directory: data, readOnly: true })
  } catch (error) {
    return { trouble: sayError(error) }
  }
}

/** Throws when that cannot be told: what we may not see may well be there. */
const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined

/** A lock that cannot be read is nobody's; the check of the disk says why. */
function holds(data: string): boolean {
  try {
    return isHeld(data)
  } catch {
    return false
  }
}
