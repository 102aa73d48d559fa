/** The column types migrations use: one word each, spelled for the database at hand. */
import { type ColumnBuilderCallback, type Kysely, PostgresAdapter, sql } from 'kysely'

type AnyDb = Kysely<unknown>

const isPostgres = (db: AnyDb): boolean => db.getExecutor().adapter instanceof PostgresAdapter

/** Text in byte order on both, so that names and moments sort and compare alike. */
export const text = (db: AnyDb) => (isPostgres(db) ? sql`text collate "C"` : sql`text`)

/** Whole numbers up to 2^53. */
export const whole = (db: AnyDb) => (isPostgres(db) ? sql`bigint` : sql`integer`)

/** A number the database gives, growing and never given twice. */
export const numbered = (db: AnyDb) => (isPostgres(db) ? sql`bigint` : sql`integer`)

export const numbering =
  (db: AnyDb): ColumnBuilderCallback =>
  (column) =>
    isPostgres(db) ? column.generatedAlwaysAsIdentity().primaryKey() : column.primaryKey().autoIncrement()

export const required: ColumnBuilderCallback = (column) => column.notNull()
