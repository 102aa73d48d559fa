/** What the machine gives: open files, memory, and the console as it was built. */
import { readFile } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { isConsoleBuilt } from '../../http/index.ts'
import { type Check, doubtful, fine, type Note, type Patient, wrong } from '../finding.ts'

const [leastFiles, fewFiles] = [1024, 4096]

export const machine: Check = {
  name: 'machine',
  says: 'Open files, memory and the built console.',
  async look(patient) {
    return [...(await openFiles()), memory(patient), built()]
  },
}

/** The limit that this process has; the service started in the same way has the same. Only Linux tells. */
async function openFiles(): Promise<Note[]> {
  const text = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const [, soft] = /^Max open files +(\d+)/m.exec(text) ?? []
  if (soft === undefined) return []
  const [where, limit] = ['open files', Number(soft)]
  const todo = 'Raise it: ulimit -n 65536, or LimitNOFILE in the systemd unit.'
  if (limit < leastFiles) return [wrong(where, `This process may open only ${limit} files.`, todo)]
  if (limit < fewFiles) return [doubtful(where, `This process may open only ${limit} files.`, todo)]
  return [fine(where, `${limit} files may be open.`)]
}

function memory({ config }: Patient): Note {
  const where = 'SPILLWAY_ENGINE_MEMORY_BYTES'
  const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`
  // A container's limit, where there is one; 0 says there is none.
  const constrained = process.constrainedMemory()
  const all = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
  if (config.clickhouseUrl) return fine('memory', `${gigabytes(all)}, and the records are elsewhere.`)
  return config.engineMemoryBytes > all * 0.9
    ? wrong(
        where,
        `The embedded engine may take ${gigabytes(config.engineMemoryBytes)} of ${gigabytes(all)}.`,
        'Set it to half of the memory or less.',
      )
    : fine('memory', `${gigabytes(all)}, of which the embedded engine may take ${gigabytes(config.engineMemoryBytes)}.`)
}

const built = (): Note =>
  isConsoleBuilt()
    ? fine('console', 'It is built.')
    : doubtful(
        'console',
        'It is not built: the address of the service shows no page.',
        'In the checkout: npm run build',
      )
