/**
 * Carries one log to the service, once or for ever.
 *
 * A batch is the whole lines between the offset of a file and a point after it. Before it is sent, that point is noted
 * (`pendingTo`); after the answer, the offset moves there. Whoever dies in between finds the note on the next start and
 * sends the very same bytes under the very same key, which the service takes once. So no line is lost and none doubled.
 *
 * Rotation by renaming: the old file is read on until nothing has come for a while, because servers write to it until
 * they are told to reopen; the new one is read beside it. After a pause the renamed files are found by their inodes.
 * A file that shrank (copytruncate) is read from its start, and said so: what was written between copy and truncation
 * cannot be had.
 */
import type { FileHandle } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Send, Taken } from '../send.ts'
import { type Found, findFiles, isSameFile, look, openFound, readRange } from './files.ts'
import { fingerprintOf, freshMarks, keyOf, type Mark, type Marks, readMarks, writeMarks } from './marks.ts'

export type FollowNeeds = {
  readonly send: Send
  /** The record a line stands for, as NDJSON without its newline, or why it stands for none. */
  readonly toRecord: (line: string) => { readonly json: string } | { readonly why: string }
  readonly onBatch: (tally: Tally) => void
  readonly onTrouble: (message: string) => void
  readonly signal: AbortSignal
  readonly pollMs?: number
  /** How long a rotated file may be silent before it is closed. */
  readonly lingerMs?: number
}

export type Tally = { bytes: number; accepted: number; rejected: number }

type OpenFile = {
  readonly mark: Mark
  readonly handle: FileHandle
  readonly path: string
  isCurrent: boolean
  quietSince: number
}

/** A batch of log text; the records made of it may weigh two or three times as much. */
const mostBytes = 4 << 20
const headBytes = 1024

export async function follow(
  needs: FollowNeeds,
  log: { readonly path: string; readonly marksFile: string; readonly forEver: boolean },
): Promise<Tally> {
  const { signal, onTrouble, pollMs = 250, lingerMs = 30_000 } = needs
  const known = await readMarks(log.marksFile)
  const marks = known ?? freshMarks(log.path)
  const tally: Tally = { bytes: 0, accepted: 0, rejected: 0 }
  const files: OpenFile[] = []
  const save = () => writeMarks(log.marksFile, marks)

  try {
    await discover(known === undefined)
    while (!signal.aborted) {
      let moved = false
      for (const file of files) {
        while (!signal.aborted && (await carryBatch(needs, marks, file, tally, !log.forEver, save))) {
          moved = true
          file.quietSince = Date.now()
        }
      }
      if (!log.forEver) break
      if (await hasRotated()) await discover(false)
      await closeSilent()
      if (!moved) await sleep(pollMs, undefined, { signal }).catch(() => undefined)
    }
  } finally {
    await Promise.all(files.map((file) => file.handle.close()))
  }
  return tally

  async function hasRotated(): Promise<boolean> {
    const current = await look(log.path, true)
    return current !== undefined && !files.some((file) => file.isCurrent && file.mark.inode === current.inode)
  }

  /** Opens what is not open yet. On the first start ever, files that were rotated before are not ours to read. */
  async function discover(isFirst: boolean): Promise<void> {
    const newest = marks.files.at(-1)
    const found = await findFiles(log.path)
    // From here on a file that was renamed has its time to be silent in.
    for (const file of files) Object.assign(file, { isCurrent: false, quietSince: Date.now() })
    for (const each of found) await take(each, isFirst && !each.isCurrent)
    marks.files = marks.files.filter(
      (mark) => found.some((each) => each.inode === mark.inode) || files.some((file) => file.mark === mark),
    )
    if (newest && !marks.files.includes(newest))
      onTrouble(`${log.path} was rotated away and is not found beside it: lines not read before that are missing`)
    await save()
  }

  async function take(found: Found, isSkipped: boolean): Promise<void> {
    const already = files.find((file) => file.mark.inode === found.inode)
    if (already) {
      already.isCurrent = found.isCurrent
      return
    }
    const handle = await openFound(found)
    if (!handle) return
    let mark = marks.files.find((each) => each.inode === found.inode)
    if (!mark || !(await isSameFile(handle, mark))) {
      marks.files = marks.files.filter((each) => each.inode !== found.inode)
      mark = { inode: found.inode, offset: isSkipped ? found.size : 0 }
      marks.files.push(mark)
    }
    if (!found.isCurrent && mark.offset >= found.size) await handle.close()
    else files.push({ mark, handle, path: found.path, isCurrent: found.isCurrent, quietSince: Date.now() })
  }

  /** A rotated file that has been silent is over; a last line without its newline is a line all the same. */
  async function closeSilent(): Promise<void> {
    for (const file of files.filter((each) => !each.isCurrent && Date.now() - each.quietSince > lingerMs)) {
      while (await carryBatch(needs, marks, file, tally, true, save));
      const { size } = await file.handle.stat()
      if (size > file.mark.offset) onTrouble(`${file.path} ends with half a line, at byte ${file.mark.offset}`)
      await file.handle.close()
      files.splice(files.indexOf(file), 1)
    }
  }
}

/** Carries what is next in a file; false when there is nothing whole yet. */
async function carryBatch(
  needs: FollowNeeds,
  marks: Marks,
  file: OpenFile,
  tally: Tally,
  isEnding: boolean,
  save: () => Promise<void>,
): Promise<boolean> {
  const { mark, handle } = file
  const { size } = await handle.stat()
  if (size === mark.offset) return false
  if (size < mark.offset || !(await isSameFile(handle, mark))) {
    needs.onTrouble(`${file.path} was truncated; reading it from its start (rotate by renaming, and no line is lost)`)
    Object.assign(mark, { offset: 0, pendingTo: undefined, midLine: undefined, head: undefined })
  }

  const isRepeat = mark.pendingTo !== undefined && mark.pendingTo <= size
  const ahead = await readRange(
    handle,
    mark.offset,
    Math.min(size, isRepeat ? (mark.pendingTo ?? size) : mark.offset + mostBytes),
  )
  const isLast = isEnding && mark.offset + ahead.length === size
  const bytes = isRepeat ? ahead : wholeLines(needs, ahead, isLast)
  if (bytes.length === 0) return false
  const to = mark.offset + bytes.length

  const { body, skipped } = toBody(needs, file, bytes)
  let taken: Taken = { accepted: 0, rejected: 0, errors: [] }
  if (body.length > 0) {
    mark.pendingTo = to
    await save()
    taken = await needs.send(body, keyOf(marks, mark, to, bytes))
    for (const { line, message } of taken.errors.slice(0, 3))
      needs.onTrouble(`${file.path}: record ${line} after byte ${mark.offset}: ${message}`)
  }
  const endsMidLine = bytes.at(-1) !== 10
  mark.offset = to
  delete mark.pendingTo
  if (endsMidLine) mark.midLine = true
  else delete mark.midLine
  if ((mark.head?.bytes ?? 0) < headBytes) {
    const head = await readRange(handle, 0, Math.min(headBytes, to))
    mark.head = { bytes: head.length, sha256: fingerprintOf(head) }
  }
  await save()
  tally.bytes += bytes.length
  tally.accepted += taken.accepted
  tally.rejected += taken.rejected + skipped
  needs.onBatch(tally)
  return true
}

/** Up to the last newline. What follows it is a line too when no more will come and it says something whole. */
function wholeLines(needs: FollowNeeds, bytes: Buffer, isLast: boolean): Buffer {
  const end = bytes.lastIndexOf(10) + 1
  const isOverlong = end === 0 && bytes.length === mostBytes
  const tail = isLast && !isOverlong ? toRecord(needs, bytes, end, bytes.length) : undefined
  return isOverlong || (tail && 'json' in tail) ? bytes : bytes.subarray(0, end)
}

const longestLine = 1_000_000

/** The records of the lines; lines that stand for none are said, the first of each batch by its reason. */
function toBody(needs: FollowNeeds, file: OpenFile, bytes: Buffer): { body: Buffer; skipped: number } {
  const records: string[] = []
  let skipped = 0
  let at = 0
  while (at < bytes.length) {
    const newline = bytes.indexOf(10, at)
    const end = newline === -1 ? bytes.length : newline
    const isRest = at === 0 && file.mark.midLine === true
    const made = isRest ? undefined : toRecord(needs, bytes, at, end)
    if (made && 'json' in made) records.push(`${made.json}\n`)
    else if (made) {
      skipped += 1
      if (skipped === 1) needs.onTrouble(`${file.path}: skipped the line at byte ${file.mark.offset + at}: ${made.why}`)
    }
    at = end + 1
  }
  return { body: Buffer.from(records.join('')), skipped }
}

function toRecord(needs: FollowNeeds, bytes: Buffer, from: number, to: number) {
  if (to - from > longestLine) return { why: `it is longer than ${longestLine} bytes` }
  const line = bytes.toString('utf8', from, to).replace(/\r$/, '')
  return line === '' ? undefined : needs.toRecord(line)
}
