import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { logs } from '../src/contract/index.ts'
import { startHouse } from './house.ts'
import { startNginx, wantsNginx } from './nginx.ts'

test(
  'the access log of a real nginx is carried in across a rotation, no line lost or doubled',
  wantsNginx,
  async () => {
    const house = await startHouse({ environment: { SPILLWAY_FETCH_MIN_AGE_SECONDS: '0' } })
    const sample = await readFile(join(import.meta.dirname, '../docs/ingest/nginx.conf'), 'utf8')
    const nginx = await startNginx(
      `${sample.replace('/var/log/nginx/spillway.log', '{dir}/logs/spillway.log')}
     server { listen 127.0.0.1:{port}; location / { return 200 "ok"; } }`,
    )
    const log = join(nginx.directory, 'logs/spillway.log')
    const follower = spawn(
      process.execPath,
      [
        'src/main.ts',
        'ingest',
        '--format',
        'nginx-json',
        '--follow',
        '--data',
        house.data,
        '--state',
        join(nginx.directory, 'state'),
        log,
      ],
      { cwd: join(import.meta.dirname, '..'), stdio: ['ignore', 'ignore', 'inherit'] },
    )
    try {
      const sent = new Set<string>()
      const ask = async (count: number) => {
        for (let number = 0; number < count; number += 1) {
          const path = `/page/${sent.size}?q=%C3%BC"x`
          sent.add(path)
          await fetch(nginx.url + path, { headers: { 'user-agent': 'a "quoted" \\ agent' } })
        }
      }
      const stored = async () => {
        const now = Math.floor(Date.now() / 1000)
        const answer = await house.client.open(logs.received, {
          scope: house.zoneScope,
          query: { start: String(now - 600), end: new Date(Date.now() - 50).toISOString(), fields: 'ClientRequestURI' },
        })
        const lines = (await answer.text()).split('\n').filter((line) => line.includes('/page/'))
        return lines.map((line) => JSON.parse(line).ClientRequestURI as string)
      }
      const arrived = async (count: number) => {
        for (let tries = 0; ; tries += 1) {
          const found = await stored()
          if (found.length >= count || tries > 200) return found
          await wait(100)
        }
      }

      await ask(150)
      await arrived(150)
      await rename(log, `${log}.1`)
      await ask(50) // still written to the renamed file
      nginx.signal('reopen')
      await ask(150)
      const found = await arrived(sent.size)
      const asWritten = (path: string) => decodeURIComponent(path.replaceAll('%22', '"'))
      assert.equal(found.length, sent.size)
      assert.equal(new Set(found).size, sent.size)
      assert.deepEqual(new Set(found.map(asWritten)), new Set([...sent].map(asWritten)))
    } finally {
      follower.kill('SIGTERM')
      await once(follower, 'exit')
      await nginx.stop()
      await house.stop()
    }
  },
)
