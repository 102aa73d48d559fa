/** A copy of the SQLite file as it is at one moment, while others write to it. */
import { chmodSync, writeFileSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'

export async function copySqlite(from: string, to: string): Promise<void> {
  // Made before SQLite would: it holds the hashes of keys, and nobody else may read it for even a moment.
  writeFileSync(to, '', { mode: 0o600, flag: 'wx' })
  const file = new DatabaseSync(from)
  try {
    file.exec('pragma busy_timeout = 5000')
    // All pages in one step, within one read transaction: a writer would make a copy in steps begin anew, again and again.
    await backup(file, to, { rate: 2_147_483_647 })
  } finally {
    file.close()
  }
  chmodSync(to, 0o600)
}
