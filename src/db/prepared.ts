/**
 * Queries that are asked all the time and always have the same shape: built and compiled once. Otherwise Kysely takes
 * 30 microseconds to build one, and SQLite 20 to answer it.
 */
import type { Compilable, CompiledQuery } from 'kysely'
import type { Db } from './open.ts'

type Known = {
  readonly query: CompiledQuery
  /** For each parameter of the statement, which of the values it is; undefined for one that is always the same. */
  readonly sources: readonly (number | undefined)[]
}

/**
 * `build` sees stand-ins for the values: it puts them where they belong, and can decide nothing by them.
 */
export function prepared<Values extends readonly (string | number)[], Row>(
  build: (db: Db, ...values: Values) => Compilable<Row>,
): (db: Db, ...values: Values) => Promise<Row[]> {
  // Both kinds of database may be open at the same time, as in tests.
  const known = new WeakMap<object, Known>()
  return async (db, ...values) => {
    const { adapter } = db.getExecutor()
    const { query, sources } = known.get(adapter) ?? compile(build, db, values.length)
    if (!known.has(adapter)) known.set(adapter, { query, sources })
    const parameters = query.parameters.map((fixed, at) => {
      const source = sources[at]
      return source === undefined ? fixed : values[source]
    })
    const { rows } = await db.executeQuery<Row>({ ...query, parameters })
    return rows
  }
}

function compile<Values extends readonly (string | number)[], Row>(
  build: (db: Db, ...values: Values) => Compilable<Row>,
  db: Db,
  count: number,
): Known {
  const standIns: readonly unknown[] = Array.from({ length: count }, (_, at) => Symbol(at))
  const query = build(db, ...(standIns as Values)).compile()
  const sources = query.parameters.map((parameter) => {
    const at = standIns.indexOf(parameter)
    return at === -1 ? undefined : at
  })
  return { query, sources }
}
