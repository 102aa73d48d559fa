/** Files below the one directory an operator names: what the destination kind `file` writes to. */
import { randomBytes } from 'node:crypto'
import { createReadStream, type Stats } from 'node:fs'
import { lstat, mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Body, OutsideError } from './destinations/index.ts'

/** All or nothing, and only below the root: a temporary file beside its name, forced to disk, then renamed. */
export async function writeBelow(root: string, path: string, body: Body): Promise<void> {
  const segments = safeSegments(path)
  const leaf = segments.at(-1) ?? ''
  try {
    const directory = await enter(root, segments.slice(0, -1))
    const temporary = join(directory, `.${leaf}.${randomBytes(6).toString('hex')}.part`)
    try {
      await writeThrough(temporary, body)
      await rename(temporary, join(directory, leaf))
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
    await syncDirectory(directory)
  } catch (error) {
    if (error instanceof OutsideError) throw error
    // The code only: the message holds the path on the operator's disk.
    throw new OutsideError(
      'file',
      `the file cannot be written (${(error as { code?: string }).code ?? 'unknown'})`,
      error,
    )
  }
}

/** Undefined when no file is there. Nothing is followed out of the root: what is no plain file is not there. */
export async function sizeBelow(root: string, path: string): Promise<number | undefined> {
  let at = root
  const segments = safeSegments(path)
  for (const [index, segment] of segments.entries()) {
    at = join(at, segment)
    const found = await lstat(at).catch((): Stats | undefined => undefined)
    const isLeaf = index === segments.length - 1
    if (!found || !(isLeaf ? found.isFile() : found.isDirectory())) return undefined
    if (isLeaf) return found.size
  }
  return undefined
}

function safeSegments(path: string): readonly string[] {
  const segments = path.split('/')
  const isUnsafe = (segment: string) => ['', '.', '..'].includes(segment) || /[\\\0]/.test(segment)
  if (segments.some(isUnsafe)) throw new OutsideError('blocked', 'the path leads out of the directory for files')
  return segments
}

/** Makes and enters each directory by itself: `mkdir -p` would follow a link out of the root. */
async function enter(root: string, segments: readonly string[]): Promise<string> {
  await mkdir(root, { recursive: true })
  let at = root
  for (const segment of segments) {
    const parent = at
    at = join(at, segment)
    const found = await lstat(at).catch((): Stats | undefined => undefined)
    if (!found) {
      await mkdir(at).catch((error) => {
        if (error.code !== 'EEXIST') throw error
      })
      await syncDirectory(parent)
    } else if (!found.isDirectory()) {
      throw new OutsideError('blocked', 'the path leads through something that is not a directory')
    }
  }
  return at
}

async function writeThrough(path: string, body: Body): Promise<void> {
  const handle = await open(path, 'wx', 0o640)
  try {
    await handle.writeFile(body instanceof Uint8Array ? body : createReadStream(body.file))
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
