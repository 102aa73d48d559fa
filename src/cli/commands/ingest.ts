/** Carries access logs of web servers to the service, once or as they grow. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { sayReasons } from '../../base/index.ts'
import { accessFormats, isAccessFormat, judgeAccessLine, toLine } from '../../datasets/index.ts'
import { CommandError, command, UsageError } from '../command.ts'
import { connect, connectFlags, scopeFlags } from '../connect.ts'
import { look } from '../follow/files.ts'
import { follow, type Tally } from '../follow/follow.ts'
import { readMarks } from '../follow/marks.ts'
import { makeProgress } from '../progress.ts'
import { makeSend } from '../send.ts'

export const ingestCommands = [
  command({
    name: 'ingest',
    says: 'Carry access logs of nginx, Caddy, Envoy or any server with a combined log into http_requests.',
    takes: '<file...>',
    flags: {
      ...connectFlags,
      ...scopeFlags,
      format: {
        type: 'string',
        value: `<${accessFormats.join('|')}>`,
        offers: accessFormats,
        says: 'What the lines look like.',
      },
      follow: { type: 'boolean', short: 'f', says: 'Go on as the files grow, across rotations, until stopped.' },
      state: { type: 'string', value: '<directory>', says: 'Where is noted how far was read. [./data/ingest]' },
      again: { type: 'boolean', says: 'Forget how far was read, and start over.' },
    },
    more: [
      'How far each file was read is noted after the service has answered, so a run that was stopped, or killed, goes on',
      'where it was: no line is lost and none comes twice. Lines that are not in the format are counted and skipped.',
      'Configurations for the servers, and which field comes from where: docs/ingest.',
      '',
      '  spillway ingest --format nginx-json --follow /var/log/nginx/spillway.log',
    ].join('\n'),
    async run(terminal, given, paths) {
      const { format = '' } = given
      if (!isAccessFormat(format))
        throw new UsageError(
          `${format ? `${format} is no format; ` : ''}say --format, one of ${accessFormats.join(', ')}`,
        )
      if (paths.length === 0) throw new UsageError('say which files')
      const missing = paths.find((path) => !given.follow && !existsSync(path))
      if (missing) throw new CommandError(`there is no file ${missing}`)

      const { client, scope } = connect(given)
      const progress = makeProgress(terminal)
      const tallies = new Map<string, Tally>()
      let ahead = 0
      const ending = new AbortController()
      const signal = AbortSignal.any([terminal.signal, ending.signal])
      const send = makeSend({
        client,
        scope: await scope(),
        dataset: 'http_requests',
        signal,
        onRetry: (why, waitMs) => progress.say(`waiting ${(waitMs / 1000).toFixed(1)} s: ${why}`),
      })
      const carry = async (path: string) => {
        const marksFile = join(given.state ?? join(given.data ?? './data', 'ingest'), marksName(resolve(path)))
        if (given.again) await rm(marksFile, { force: true })
        if (!given.follow) ahead += await unread(path, marksFile)
        const needs = {
          send,
          signal,
          toRecord(line: string) {
            const judged = judgeAccessLine(format, line)
            return judged.ok ? { json: toLine(judged.value) } : { why: sayReasons(judged.reasons) }
          },
          onBatch(tally: Tally) {
            tallies.set(path, tally)
            progress.show(sayTally(tallies), given.follow ? undefined : sum(tallies).bytes / ahead)
          },
          onTrouble: progress.say,
        }
        tallies.set(path, await follow(needs, { path: resolve(path), marksFile, forEver: given.follow ?? false }))
      }
      try {
        await Promise.all(paths.map(carry))
      } catch (error) {
        // Asked to stop while a batch was under way: what is noted is right, and the next run goes on from there.
        if (!terminal.signal.aborted) throw error
      } finally {
        ending.abort()
      }
      progress.end()
      const total = sum(tallies)
      terminal.out(given.json ? JSON.stringify(total) : sayTally(tallies))
      return total.rejected > 0 && !given.follow ? 1 : 0
    },
  }),
]

/** How many bytes of a file this run has still to read. */
async function unread(path: string, marksFile: string): Promise<number> {
  const found = await look(path, true)
  const mark = (await readMarks(marksFile))?.files.find(({ inode }) => inode === found?.inode)
  return Math.max(0, (found?.size ?? 0) - (mark?.offset ?? 0))
}

/** A readable name that no two paths share. */
const marksName = (path: string): string =>
  `${basename(path)}-${createHash('sha256').update(path).digest('hex').slice(0, 12)}.json`

function sum(tallies: ReadonlyMap<string, Tally>): Tally {
  const total = { bytes: 0, accepted: 0, rejected: 0 }
  for (const tally of tallies.values()) {
    total.bytes += tally.bytes
    total.accepted += tally.accepted
    total.rejected += tally.rejected
  }
  return total
}

function sayTally(tallies: ReadonlyMap<string, Tally>): string {
  const { bytes, accepted, rejected } = sum(tallies)
  return `${accepted} records taken, ${rejected} lines refused, ${(bytes / 1e6).toFixed(1)} MB read`
}
