/** Structured log lines. Nothing that may be a secret is handed to a log; the paths below are the second net. */
import { type Logger, pino } from 'pino'

export type Log = Logger

const secretPaths = [
  'authorization',
  'headers.authorization',
  'headers["x-auth-key"]',
  'key',
  'token',
  'secret',
  'destination_conf',
  'conf',
  'ownership_challenge',
].flatMap((path) => [path, `*.${path}`])

export const makeLog = (level: string, to: { write(line: string): void } = process.stderr): Log =>
  pino({ level, base: null, redact: { paths: secretPaths, censor: '[hidden]' } }, to)
