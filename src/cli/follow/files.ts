/** The files of a log: the one at its path, and those that rotation put beside it. */
import { type FileHandle, open, readdir, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { fingerprintOf, type Mark } from './marks.ts'

export type Found = {
  readonly path: string
  readonly inode: string
  readonly size: number
  readonly changed: bigint
  readonly isCurrent: boolean
}

/** Oldest first; the one at the path itself last. Compressed ones are not read: they were complete before. */
export async function findFiles(path: string): Promise<Found[]> {
  const isRotated = rotationOf(basename(path))
  const names = await readdir(dirname(path))
  const found = await Promise.all(names.filter(isRotated).map((name) => look(join(dirname(path), name), false)))
  const rotated = found.filter((file) => file !== undefined).toSorted((a, b) => Number(a.changed - b.changed))
  const current = await look(path, true)
  // A file that was renamed between the two looks is listed once.
  return current ? [...rotated.filter((file) => file.inode !== current.inode), current] : rotated
}

/** Rotation names: `access.log.1`, `access.log-20250615`, `access-2025-06-15T15-06-40.000.log`. */
function rotationOf(name: string): (other: string) => boolean {
  const extension = extname(name)
  const stem = name.slice(0, name.length - extension.length)
  const isStamp = (text: string) => /^[-.][0-9][-0-9TZ:._]*$/.test(text)
  return (other) => {
    if (other.startsWith(name)) return isStamp(other.slice(name.length))
    const isDatedInside = extension !== '' && other.startsWith(stem) && other.endsWith(extension)
    return isDatedInside && isStamp(other.slice(stem.length, other.length - extension.length))
  }
}

export async function look(path: string, isCurrent: boolean): Promise<Found | undefined> {
  try {
    const { dev, ino, size, mtimeNs } = await stat(path, { bigint: true })
    return { path, inode: `${dev}:${ino}`, size: Number(size), changed: mtimeNs, isCurrent }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Opens a file that was found, unless another has taken its name since. */
export async function openFound(found: Found): Promise<FileHandle | undefined> {
  let handle: FileHandle
  try {
    handle = await open(found.path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const { dev, ino } = await handle.stat({ bigint: true })
  if (`${dev}:${ino}` === found.inode) return handle
  await handle.close()
  return undefined
}

/** Whether the open file is the one the mark is about: an inode that was used again begins differently. */
export async function isSameFile(handle: FileHandle, mark: Mark): Promise<boolean> {
  if (!mark.head) return true
  return fingerprintOf(await readRange(handle, 0, mark.head.bytes)) === mark.head.sha256
}

/** The bytes of a range, fewer when the file ends before. */
export async function readRange(handle: FileHandle, from: number, to: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(to - from)
  let filled = 0
  while (filled < bytes.length) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, from + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}
