/** The schema as text, the same on every machine: a golden file beside the migrations that made it. */
import { sql } from 'kysely'
import type { Database } from './open.ts'

export async function dumpSchema({ db, dialect }: Database): Promise<string> {
  const lines = dialect === 'sqlite' ? await sqliteLines(db) : await postgresLines(db)
  return `${lines.join('\n')}\n`
}

async function sqliteLines(db: Database['db']): Promise<string[]> {
  const { rows } = await sql<{ sql: string }>`
    select sql from sqlite_master where sql is not null and name not like 'sqlite_%' and name not like 'kysely_%'
    order by tbl_name, type desc, name`.execute(db)
  return rows.map((row) => `${row.sql.replaceAll(', ', ',\n  ')};`)
}

async function postgresLines(db: Database['db']): Promise<string[]> {
  const columns = await sql<{ line: string }>`
    select table_name || '.' || column_name || ' ' || data_type || coalesce(' collate ' || collation_name, '')
      || case when is_nullable = 'NO' then ' not null' else '' end
      || case when is_identity = 'YES' then ' identity' else '' end as line
    from information_schema.columns where table_schema = 'public' and table_name not like 'kysely_%'
    order by table_name, ordinal_position`.execute(db)
  const constraints = await sql<{ line: string }>`
    select conrelid::regclass || ': ' || pg_get_constraintdef(oid) as line from pg_constraint
    where connamespace = 'public'::regnamespace and conrelid::regclass::text not like 'kysely_%' and contype <> 'n'
    order by conrelid::regclass::text, conname`.execute(db)
  const indexes = await sql<{ line: string }>`
    select indexdef as line from pg_indexes where schemaname = 'public' and tablename not like 'kysely_%'
    order by tablename, indexname`.execute(db)
  return [...columns.rows, ...constraints.rows, ...indexes.rows].map((row) => row.line)
}
