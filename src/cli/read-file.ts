/** Files that a command is handed, or one line about why they cannot be read. */
import { readFile } from 'node:fs/promises'
import { CommandError } from './command.ts'

export async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(
      error.code === 'ENOENT' ? `there is no file ${path}` : `${path} cannot be read: ${error.message}`,
    )
  })
}

export async function readJson(path: string): Promise<unknown> {
  const text = await readText(path)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new CommandError(`${path} is not JSON: ${(error as Error).message}`)
  }
}
