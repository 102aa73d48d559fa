/** The service in a process of its own, to be killed: `node src/main.ts serve`, with its settings in its environment. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

export type Serving = {
  readonly pid: number
  /** What it said on standard error, the newest 20 KB of it. */
  said(): string
  /** Its engine child, once there is one. */
  enginePid(): number | undefined
  kill(signal?: NodeJS.Signals): Promise<void>
}

export type FirstRun = {
  readonly email: string
  readonly key: string
  readonly account_id: string
  readonly zone_id: string
}

/** Nothing of ours but what finds programs and spares each start the compiling. */
export const bareEnvironment = (): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  ...(process.env.NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE } : {}),
})

const main = join(import.meta.dirname, '../src/main.ts')

/** From the sources, unless another program is named. */
export function serve(environment: Readonly<Record<string, string>>, program = main): Serving {
  const child: ChildProcess = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, 'serve'], {
    env: { ...bareEnvironment(), ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const goWithUs = () => child.kill('SIGKILL')
  process.once('exit', goWithUs)
  child.once('exit', () => process.off('exit', goWithUs))
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-20_000)
  })
  return {
    pid: child.pid ?? 0,
    said: () => said,
    enginePid: () => childrenOf(child.pid ?? 0)[0],
    async kill(signal = 'SIGKILL') {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill(signal)
      await once(child, 'exit')
    },
  }
}

/** Direct children, by what Linux says of its processes. */
export function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

/** Resolves once the service answers that it is ready. */
export async function untilReady(url: string, withinMs = 30_000): Promise<void> {
  const until = performance.now() + withinMs
  for (;;) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined)
    if (answer?.ok) return
    if (performance.now() > until) throw new Error(`not ready in time: ${await answer?.text()}`)
    await wait(50)
  }
}

export const firstRunOf = async (data: string): Promise<FirstRun> =>
  JSON.parse(await readFile(join(data, 'first-run.json'), 'utf8'))
