/**
 * Opens the metadata database: SQLite inside the process by default, PostgreSQL by URL. This file and the migrations are
 * the only ones that know which of the two it is.
 */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Kysely, PostgresDialect, type SqliteDatabase, SqliteDialect, sql } from 'kysely'
import { problems } from '../base/index.ts'
import { openPool } from './pool.ts'
import type { Tables } from './tables.ts'

export type Db = Kysely<Tables>
export type Dialect = 'sqlite' | 'postgres'
export type Database = {
  readonly db: Db
  readonly dialect: Dialect
  /** How many statements so far may have changed something. */
  writes(): number
  close(): Promise<void>
}

/** Where the metadata lives: `postgres://...`, or the directory that holds the SQLite file, perhaps only to look at it. */
export type DatabasePlace = { readonly url: string } | { readonly directory: string; readonly readOnly?: true }

const fileName = 'spillway.db'

export function openDatabase(place: DatabasePlace): Database {
  if ('url' in place) return openPostgres(place.url)
  return place.readOnly ? lookAtSqlite(place.directory) : openSqlite(place.directory)
}

function openSqlite(directory: string): Database {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const path = join(directory, fileName)
  keepPrivate(path)
  const file = new DatabaseSync(path)
  // FULL: an acknowledged change survives a power cut, not only a killed process. Measured here: 0.4 ms a commit more.
  file.exec(
    'pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma busy_timeout = 5000',
  )
  return opened('sqlite', new SqliteDialect({ database: kyselySqlite(file) }))
}

/**
 * Makes the file of a database to come, or closes one that is there to others; what SQLite puts beside it is as private.
 * A file that is there is not opened: closing it again would let go of the locks that this process has on it.
 */
export function keepPrivate(path: string): void {
  if (existsSync(path)) chmodSync(path, 0o600)
  else writeFileSync(path, '', { mode: 0o600, flag: 'a' })
}

/** Makes nothing and changes nothing; a service may be at work on the same file. */
function lookAtSqlite(directory: string): Database {
  const address = pathToFileURL(join(directory, fileName))
  // Without a log beside it nobody has it open; said to be immutable, it is read without making one.
  if (!existsSync(`${fileURLToPath(address)}-wal`)) address.searchParams.set('immutable', '1')
  const file = new DatabaseSync(address, { readOnly: true })
  file.exec('pragma busy_timeout = 5000')
  return opened('sqlite', new SqliteDialect({ database: kyselySqlite(file) }))
}

/** Kysely's view of a SQLite connection, over the one that Node brings. Prepared statements are kept: the set is small. */
function kyselySqlite(file: DatabaseSync): SqliteDatabase {
  const prepared = new Map<string, ReturnType<SqliteDatabase['prepare']>>()
  return {
    close: () => file.close(),
    prepare(text) {
      const known = prepared.get(text)
      if (known) return known
      const statement = orPassing(() => file.prepare(text))
      const bind = (values: readonly unknown[]) => values as (string | number | bigint | null | Uint8Array)[]
      const made: ReturnType<SqliteDatabase['prepare']> = {
        reader: statement.columns().length > 0,
        all: (values) => orPassing(() => statement.all(...bind(values))),
        run: (values) =>
          // A disk in trouble makes SQLite roll back by itself; an error of the second one would hide why.
          text === 'rollback' && !file.isTransaction ? nothing : orPassing(() => statement.run(...bind(values))),
        iterate: (values) => statement.iterate(...bind(values)) as IterableIterator<unknown>,
      }
      // Statements with a list of values come in as many shapes as lists have lengths: keep only so many.
      if (prepared.size >= 500) prepared.clear()
      prepared.set(text, made)
      return made
    },
  }
}

const nothing = { changes: 0, lastInsertRowid: 0 }

// SQLite's words for a disk that is full, fails, or may not be written, and for files that cannot be opened because too
// many are: nothing was changed, and it may pass.
const passing = [13, 10, 8, 14]

function orPassing<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    const { errcode } = error as { errcode?: number }
    // The low byte is the kind of error, the rest its detail.
    if (errcode === undefined || !passing.includes(errcode & 0xff)) throw error
    const problem = problems.unavailable('The data directory cannot be written just now; try again')
    problem.cause = error
    throw problem
  }
}

function openPostgres(url: string): Database {
  return opened('postgres', new PostgresDialect({ pool: openPool(url) }))
}

function opened(dialect: Dialect, kysely: SqliteDialect | PostgresDialect): Database {
  let writes = 0
  const db = new Kysely<Tables>({
    dialect: kysely,
    log({ query: { query } }) {
      if (query.kind !== 'SelectQueryNode') writes += 1
    },
  })
  return { db, dialect, writes: () => writes, close: () => db.destroy() }
}

/** True when the database answers, and soon; for readiness. */
export async function answers(db: Db, withinMs = 3_000): Promise<boolean> {
  const tooLate = wait(withinMs, false, { ref: false })
  const answered = sql`select 1`.execute(db).then(
    () => true,
    () => false,
  )
  return Promise.race([answered, tooLate])
}

/** Which database it is, and what its clock says when that is not ours. */
export async function describeDatabase({ db, dialect }: Database): Promise<{ version: string; unixMs?: number }> {
  if (dialect === 'sqlite') {
    // Throws for a file that is damaged so far that it cannot be asked; the pragma finds what a query might miss.
    const { rows } = await sql<{ quick_check: string }>`pragma quick_check(1)`.execute(db)
    if (rows[0]?.quick_check !== 'ok') throw new Error(rows[0]?.quick_check ?? 'the check of the file says nothing')
    const told = await sql<{ version: string }>`select sqlite_version() as version`.execute(db)
    return { version: `SQLite ${told.rows[0]?.version}` }
  }
  const told = await sql<{ version: string; ms: number }>`
    select current_setting('server_version') as version, extract(epoch from clock_timestamp())::float8 * 1000 as ms
  `.execute(db)
  const [row] = told.rows
  return { version: `PostgreSQL ${row?.version}`, ...(row ? { unixMs: row.ms } : {}) }
}

/** True for the refusal of a foreign key: what was to be referred to has just gone, or what was to go is referred to. */
export function isReferenced(error: unknown): boolean {
  const { code, errcode } = error as Record<string, unknown>
  return code === '23503' || (code === 'ERR_SQLITE_ERROR' && errcode === 787)
}

/** True for the refusal of a unique index, on either database; `index` names a column or index that must be in it. */
export function isTaken(error: unknown, index?: string): boolean {
  const { code, errcode, message, constraint, detail } = error as Record<string, unknown>
  const unique = code === '23505' || (code === 'ERR_SQLITE_ERROR' && (errcode === 2067 || errcode === 1555))
  return unique && (index === undefined || `${message} ${constraint} ${detail}`.includes(index))
}
