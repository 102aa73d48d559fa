/** The metadata database: opened, migrated, and its tables; and words between the processes on it. */
export { type OpenBus, openBus } from './bus.ts'
export { copySqlite } from './copy.ts'
export { type MigrationState, migrate, migrationState, NewerDatabase } from './migrate.ts'
export {
  answers,
  type Database,
  type DatabasePlace,
  type Db,
  type Dialect,
  describeDatabase,
  isReferenced,
  isTaken,
  keepPrivate,
  openDatabase,
} from './open.ts'
export { prepared } from './prepared.ts'
export type * from './tables.ts'
