/**
 * Which jobs there were when the roll was last called, in a file of the data directory: a database that lost them cannot
 * know, and neither can a process that has just started.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from './base/index.ts'
import type { RollMemory } from './jobs/index.ts'

export function makeKnownJobs(data: string, log: Log): RollMemory {
  const file = join(data, 'known-jobs.json')
  return {
    recall() {
      try {
        return new Map(JSON.parse(readFileSync(file, 'utf8')))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
          log.warn({ err: error, file }, 'the roll of jobs cannot be read')
        return new Map()
      }
    },
    keep(present) {
      try {
        writeFileSync(`${file}.new`, JSON.stringify([...present]), { mode: 0o600, flush: true })
        renameSync(`${file}.new`, file)
      } catch (error) {
        log.warn(
          { err: error, file },
          'the roll of jobs cannot be kept; jobs that go missing over a restart would not be missed',
        )
      }
    },
  }
}
