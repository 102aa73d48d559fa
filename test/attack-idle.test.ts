/** Ten thousand connections that say nothing: whoever speaks is served all the same. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from './postgres.ts'
import { serve, untilReady } from './serve.ts'

const most = 10_000
// Two processes hold an end of each connection; both need files besides.
const fileLimit = Number(/^Max open files\s+\d+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 0)
const count = Math.min(most, fileLimit - 500)

const residentMb = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

test(`${count} idle connections keep nobody from being served`, async (t) => {
  const data = await mkdtemp(join(tmpdir(), 'spillway-idle-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const service = serve({ SPILLWAY_DATA: data, SPILLWAY_PORT: String(port), SPILLWAY_LOG_LEVEL: 'warn' })
  const sockets: Socket[] = []
  try {
    await untilReady(url, 60_000)
    const before = residentMb(service.pid)
    // In groups, because more would not fit into the queue of the listening socket.
    while (sockets.length < count) {
      const group = Array.from({ length: Math.min(250, count - sockets.length) }, () =>
        connect({ host: '127.0.0.1', port }),
      )
      sockets.push(...group)
      await Promise.all(group.map((socket) => once(socket, 'connect')))
      for (const socket of group) socket.on('error', () => {})
    }
    const answers = await Promise.all(Array.from({ length: 50 }, () => fetch(`${url}/readyz`)))
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    const kilobytes = ((residentMb(service.pid) - before) * 1024) / count
    t.diagnostic(`${count} idle connections take ${kilobytes.toFixed(1)} KB each`)
    assert.ok(kilobytes < 50, `${kilobytes} KB for a connection that says nothing`)
  } finally {
    for (const socket of sockets) socket.destroy()
    await service.kill()
    await rm(data, { recursive: true, force: true })
  }
})
