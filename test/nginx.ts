/** A real nginx for the tests that want one: found on this machine, or said to be missing, loudly. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from './postgres.ts'

export const nginxPath: string | undefined = ['/usr/sbin/nginx', '/usr/local/sbin/nginx', '/usr/bin/nginx'].find(
  (path) => existsSync(path),
)

/** What `test(...)` takes to skip with a reason that is printed, when there is no nginx here. */
export const wantsNginx = {
  skip: nginxPath ? false : 'NO NGINX HERE: install it (apt-get install nginx-light) to run this',
}

export type Nginx = {
  readonly url: string
  readonly directory: string
  signal(name: 'reopen' | 'stop'): void
  stop(): Promise<void>
}

/** Runs nginx with this inside its http block; `{port}` and `{dir}` are filled in. */
export async function startNginx(http: string): Promise<Nginx> {
  if (!nginxPath) throw new Error('there is no nginx here')
  const path = nginxPath
  const directory = await mkdtemp(join(tmpdir(), 'spillway-nginx-'))
  await mkdir(join(directory, 'logs'))
  const port = await freePort()
  const body = http.replaceAll('{port}', String(port)).replaceAll('{dir}', directory)
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${directory}/${name};`)
    .join(' ')
  const root = process.getuid?.() === 0 ? 'user root;' : ''
  await writeFile(
    join(directory, 'nginx.conf'),
    `${root} daemon off; worker_processes 1; pid ${directory}/nginx.pid; error_log ${directory}/logs/error.log;
events { worker_connections 256; }
http { ${temp}
${body}
}`,
  )
  const child = spawn(path, ['-p', directory, '-c', join(directory, 'nginx.conf')], { stdio: 'inherit' })
  const url = `http://127.0.0.1:${port}`
  for (let tries = 0; ; tries += 1) {
    if (
      await fetch(url).then(
        () => true,
        () => false,
      )
    )
      break
    if (tries > 100 || child.exitCode !== null) throw new Error('nginx did not start')
    await wait(50)
  }
  const signal = (name: 'reopen' | 'stop') =>
    void execFileSync(path, ['-p', directory, '-c', join(directory, 'nginx.conf'), '-s', name])
  return {
    url,
    directory,
    signal,
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
      await rm(directory, { recursive: true, force: true })
    },
  }
}
