/** One process to a data directory. The lock is SQLite's own on a file beside the data: it falls with the process, even by kill -9. */
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { keepPrivate } from './db/index.ts'

/** A mistake of whoever starts the service, said in one line without a stack. */
export class StartupError extends Error {}

export function lockDataDirectory(directory: string): { release(): void } {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    accessSync(directory, constants.W_OK | constants.R_OK | constants.X_OK)
  } catch (error) {
    throw new StartupError(
      `the data directory ${directory} cannot be written (${(error as NodeJS.ErrnoException).code}); set SPILLWAY_DATA to one that can`,
    )
  }
  let lock: DatabaseSync | undefined
  try {
    const path = join(directory, 'lock')
    keepPrivate(path)
    lock = new DatabaseSync(path)
    lock.exec(
      'pragma locking_mode = exclusive; begin exclusive; create table if not exists holder (pid); commit; begin exclusive',
    )
  } catch (error) {
    lock?.close()
    if (/locked|busy/.test((error as Error).message)) {
      throw new StartupError(
        `another process is using the data directory ${directory}; stop it, or set SPILLWAY_DATA to another one`,
      )
    }
    throw new StartupError(`the data directory ${directory} cannot be used: ${(error as Error).message}`)
  }
  const held = lock
  return { release: () => held.close() }
}

/** Whether a process holds the directory now; asked without taking it. */
export function isHeld(directory: string): boolean {
  const path = join(directory, 'lock')
  if (!existsSync(path)) return false
  const lock = new DatabaseSync(path, { readOnly: true })
  try {
    lock.prepare('select count(*) from sqlite_master').get()
    return false
  } catch (error) {
    if (/locked|busy/.test((error as Error).message)) return true
    throw error
  } finally {
    lock.close()
  }
}
