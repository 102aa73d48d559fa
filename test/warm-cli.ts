/**
 * The command line, kept warm: a page has some twenty commands, and a process for each costs most of a CPU-second. An `npx` is
 * written that hands its words to this process over a socket; the README's commands are run by the real one.
 */
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { run } from '../src/cli/index.ts'

/** Commands see this process's directory, as they would see the shell's. */
export async function startWarmCli(binaries: string): Promise<{ stop(): void }> {
  const socket = join(binaries, 'cli.sock')
  const server = createServer(async (request, response) => {
    const words = Buffer.concat(await Array.fromAsync(request))
      .toString()
      .split('\0')
      .slice(0, -1)
    const said: string[] = []
    const say = (text: string) => said.push(`${text}\n`)
    const terminal = {
      out: say,
      err: say,
      isTerminal: false,
      columns: 100,
      input: (async function* () {})(),
      signal: new AbortController().signal,
    }
    const code = await run(terminal, words).catch((error) => say(String(error.stack)))
    response.writeHead(code === 0 ? 200 : 500).end(said.join(''))
  }).listen(socket)
  await once(server, 'listening')
  const npx = join(binaries, 'npx')
  writeFileSync(
    npx,
    `#!/bin/sh
program=$1; shift
case $program in
  node) exec node "$@";;
  spillway) printf '%s\\0' "$@" | curl -s --fail-with-body --data-binary @- --unix-socket ${socket} http://desk/;;
  *) echo "there is no $program here" >&2; exit 127;;
esac
`,
  )
  chmodSync(npx, 0o755)
  return { stop: () => void server.close() }
}
