/**
 * What is remembered about a followed log between runs: how far each of its files was read. A log is one path and, after
 * rotations, several files; a file is known by its inode and by its first bytes, because inodes are used again.
 */
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

export type Mark = {
  readonly inode: string
  /** Bytes of the file that are done with. */
  offset: number
  /** The end of the batch that was last sent and may have been taken: it is sent again as it was, with the same key. */
  pendingTo?: number
  /** A line so long that it is skipped goes on past the offset. */
  midLine?: true
  /** The first bytes, as soon as some are done with. */
  head?: { readonly bytes: number; readonly sha256: string }
}

export type Marks = {
  /** Random; part of every key, so that reading a log again on purpose is not taken for a repetition. */
  readonly id: string
  readonly path: string
  files: Mark[]
}

export const freshMarks = (path: string): Marks => ({ id: randomUUID(), path, files: [] })

/** The marks of an earlier run, or undefined when there was none. */
export async function readMarks(file: string): Promise<Marks | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Marks
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Error(`${file} cannot be read; remove it to read the log from its start`, { cause: error })
  }
}

/** Replaces the file in one step, and comes back when it would survive a power cut. */
export async function writeMarks(file: string, marks: Marks): Promise<void> {
  const directory = dirname(file)
  const draft = `${file}.new`
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const handle = await open(draft, 'w', 0o600)
  try {
    await handle.writeFile(`${JSON.stringify(marks, null, 1)}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(draft, file)
  const folder = await open(directory, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** The key of a batch: which log, which file, which bytes. The same batch has the same key after a crash. */
export function keyOf(marks: Marks, mark: Mark, to: number, bytes: Uint8Array): string {
  const about = `${marks.id}\n${mark.inode}\n${mark.offset}-${to}\n`
  return createHash('sha256').update(about).update(bytes).digest('hex')
}

export const fingerprintOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
