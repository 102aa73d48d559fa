/** The disk: there is room, what is written can be forced to it, and the directories are ours. */
import { randomBytes } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { access, open, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type Check, doubtful, fine, type Note, type Patient, sayError, wrong } from '../finding.ts'

const [leastBytes, lowBytes] = [500e6, 5e9]

export const disk: Check = {
  name: 'disk',
  says: 'The data directory and the directory for files are ours, can be written and have room.',
  async look(patient) {
    const { config, data } = patient
    const notes = [...(await directory('SPILLWAY_DATA', data)), ...(await space(patient))]
    if (config.fileRoot !== undefined) notes.push(...(await directory('SPILLWAY_FILE_ROOT', resolve(config.fileRoot))))
    return notes
  },
}

async function directory(setting: string, path: string): Promise<Note[]> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => error.code)
  if (found === 'ENOENT') return [await canBeMade(setting, path)]
  if (typeof found !== 'object')
    return [wrong(path, `It cannot be looked at (${found}).`, `Set ${setting} to a directory of this user.`)]
  if (!found.isDirectory()) return [wrong(path, 'It is no directory.', `Set ${setting} to a directory.`)]
  const notes = setting === 'SPILLWAY_DATA' ? [...whose(path, found)] : []
  const trouble = await writing(path)
  notes.push(trouble ?? fine(path, 'Files can be written and forced to disk.'))
  return notes
}

/** The nearest directory above that is there must let us make the rest. */
async function canBeMade(setting: string, path: string): Promise<Note> {
  for (let above = dirname(path); ; above = dirname(above)) {
    const trouble = await access(above, constants.W_OK | constants.X_OK).then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error.code,
    )
    if (trouble === undefined) return fine(path, 'It is not there yet; the first start makes it.')
    if (trouble !== 'ENOENT' || above === dirname(above))
      return wrong(
        path,
        `It is not there, and cannot be made in ${above} (${trouble}).`,
        `Set ${setting} to a place this user may write to.`,
      )
  }
}

function* whose(path: string, { uid, mode }: Stats): Generator<Note> {
  const me = process.getuid?.()
  if (me !== undefined && uid !== me)
    yield wrong(
      path,
      `It belongs to user ${uid}, and this is user ${me}.`,
      `Run this as the user of the service, or give it over: chown -R ${me} ${path}`,
    )
  if (mode & 0o022) yield wrong(path, `Others may write to it (mode ${octal(mode)}).`, `Close it: chmod 700 ${path}`)
  else if (mode & 0o055)
    yield doubtful(path, `Others may look into it (mode ${octal(mode)}).`, `Close it: chmod 700 ${path}`)
}

const octal = (mode: number): string => (mode & 0o777).toString(8).padStart(3, '0')

/** A file is written, forced to disk, and taken away again. */
async function writing(path: string): Promise<Note | undefined> {
  const file = join(path, `.doctor-${randomBytes(6).toString('hex')}`)
  try {
    const handle = await open(file, 'wx', 0o600)
    try {
      await handle.writeFile('a line\n')
      await handle.sync()
    } finally {
      await handle.close()
      await rm(file, { force: true })
    }
    const above = await open(path, 'r')
    await above.sync().finally(() => above.close())
    return undefined
  } catch (error) {
    return wrong(
      path,
      `A file cannot be written and forced to disk: ${sayError(error)}`,
      'Free space, give this user the right to write, or choose a file system that honours fsync.',
    )
  }
}

async function space({ config, data }: Patient): Promise<Note[]> {
  const found = await statfs(data).catch(() => undefined)
  if (!found) return []
  return judgeSpace(data, found.bavail * found.bsize, found.blocks * found.bsize, config.diskCeilingBytes)
}

export function judgeSpace(data: string, free: number, size: number, ceiling: number): Note[] {
  const notes: Note[] = []
  const todo = 'Free space, or lower SPILLWAY_RETENTION_DAYS or SPILLWAY_DISK_CEILING_BYTES.'
  if (free < leastBytes) notes.push(wrong(data, `Only ${gigabytes(free)} are free.`, todo))
  else if (free < lowBytes) notes.push(doubtful(data, `Only ${gigabytes(free)} are free.`, todo))
  else notes.push(fine(data, `${gigabytes(free)} of ${gigabytes(size)} are free.`))
  if (ceiling > size)
    notes.push(
      wrong(
        'SPILLWAY_DISK_CEILING_BYTES',
        `The ceiling of ${gigabytes(ceiling)} is above the ${gigabytes(size)} of the disk: it would be full first.`,
        'Set it well below the size of the disk.',
      ),
    )
  return notes
}

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`
