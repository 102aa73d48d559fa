/**
 * Connections to PostgreSQL. A server that restarts, cuts its connections or says nothing more is a problem that passes:
 * whoever asked hears to try again, and the connection is thrown away.
 */
import { Socket } from 'node:net'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { Problem, problems } from '../base/index.ts'

// A statement of ours takes milliseconds. A connection that is silent for this long while it is in use has lost its server;
// idle ones are closed sooner.
const usualSilenceMs = 30_000

export function openPool(url: string, silenceMs = usualSilenceMs): PostgresPool {
  const types = new pg.TypeOverrides()
  // Every 64-bit integer we store is a count or an id well below 2^53; times are text.
  types.setTypeParser(20, Number)
  const pool = new pg.Pool({
    connectionString: url,
    max: 20,
    types,
    connectionTimeoutMillis: 5_000,
    application_name: 'spillway',
    stream: () => withoutEndlessSilence(silenceMs),
  })
  // A connection that breaks is replaced at the next use; without listeners it would end the process, idle or in use.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return {
    connect: async () => passing(await pool.connect().catch(rethrow)),
    end: () => pool.end(),
  }
}

function withoutEndlessSilence(silenceMs: number): Socket {
  const socket = new Socket()
  return socket.setTimeout(silenceMs, () =>
    socket.destroy(new Error(`PostgreSQL said nothing for ${silenceMs / 1000} seconds`)),
  )
}

function passing(client: pg.PoolClient): PostgresPoolClient {
  // No query of ours is read by a cursor, the other form that the type knows.
  const query = (sql: string, values: readonly unknown[]) => client.query(sql, [...values]).catch(rethrow)
  return { query: query as unknown as PostgresPoolClient['query'], release: () => client.release() }
}

// Shutting down, starting up, out of connections, connection lost: not what was asked, but when.
const passingStates = /^(08|57P0|53)/

function rethrow(error: unknown): never {
  const isAnswer = error instanceof pg.DatabaseError && !passingStates.test(error.code ?? '')
  if (isAnswer || error instanceof Problem) throw error
  const problem = problems.unavailable('The metadata database does not answer just now; try again')
  problem.cause = error
  throw problem
}
