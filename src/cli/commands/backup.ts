/** Copies everything a service on one machine holds to a directory while it runs, and brings it back. */

import type { BackupReport } from '../../backup.ts'
import { sayReasons } from '../../base/index.ts'
import { type Config, readConfig } from '../../config.ts'
import { CommandError, command, UsageError } from '../command.ts'
import { print } from '../table.ts'

type Backup = typeof import('../../backup.ts')

/** Loaded when it is needed: it leads to the record engine. */
async function within<T>(work: (backup: Backup, config: Config) => Promise<T>): Promise<T> {
  const config = readConfig()
  if (!config.ok) throw new CommandError(sayReasons(config.reasons))
  const backup = await import('../../backup.ts')
  return work(backup, config.value).catch((error: unknown) => {
    throw error instanceof backup.StartupError ? new CommandError(error.message) : error
  })
}

const theDirectory = ([directory]: readonly string[]): string => {
  if (directory === undefined) throw new UsageError('say the directory')
  return directory
}

const jsonFlag = { json: { type: 'boolean', says: 'Print what was copied as JSON.' } } as const

const sum = (done: string, { directory, files, bytes, records }: BackupReport): string =>
  `${done} ${directory}: ${records} records, ${files} files, ${(bytes / 1e6).toFixed(1)} MB`

export const backupCommands = [
  command({
    name: 'backup',
    says: 'Copy metadata, records and the secret key of SPILLWAY_DATA to a new directory, also while the service runs.',
    takes: '<directory>',
    flags: jsonFlag,
    more: 'The copy holds all that was acknowledged before, and the key to its secrets: keep it as safe as the service itself.',
    async run(terminal, given, words) {
      const directory = theDirectory(words)
      const report = await within(({ backUp }, config) => backUp(config, directory))
      print(terminal, given, report, () =>
        [
          sum('Backed up to', report),
          ...(report.key === 'in the backup'
            ? []
            : ['The key that seals secrets is not in it: keep the value of SPILLWAY_SECRET_KEY as well.']),
        ].join('\n'),
      )
      return 0
    },
  }),
  command({
    name: 'restore',
    says: 'Make SPILLWAY_DATA, which must be new or empty, from a backup; every file is checked first.',
    takes: '<directory>',
    flags: jsonFlag,
    more: 'Stop the service the backup is of, for good, before you start the restored one: both would export the same records.',
    async run(terminal, given, words) {
      const directory = theDirectory(words)
      const report = await within(({ restore }, config) => restore(config, directory))
      print(terminal, given, report, () => sum('Restored', report))
      return 0
    },
  }),
]
