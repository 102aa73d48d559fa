/** Makes up records, for a first look, a demo or a load test, and sends or prints them. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../base/index.ts'
import { type Dataset, datasets, makeGenerator } from '../../datasets/index.ts'
import { command, UsageError } from '../command.ts'
import { connect, connectFlags, datasetFlag, scopeFlags } from '../connect.ts'
import { makeProgress } from '../progress.ts'
import { makeSend } from '../send.ts'

// Large enough that ingest runs at its full rate, small enough to see progress.
const linesPerBatch = 10_000
const beatsPerSecond = 4

export const generateCommands = [
  command({
    name: 'generate',
    says: 'Make up records of a dataset and send them to the service, or print them.',
    flags: {
      ...connectFlags,
      ...scopeFlags,
      dataset: datasetFlag('Which dataset. [http_requests]'),
      count: { type: 'string', value: '<number>', says: 'How many records, as fast as they are taken. [1000]' },
      rate: { type: 'string', value: '<number>', says: 'Records per second, instead of --count.' },
      seconds: { type: 'string', value: '<number>', says: 'How long to keep the rate. [until stopped]' },
      seed: { type: 'string', value: '<number>', says: 'The same seed makes the same values. [random]' },
      print: { type: 'boolean', says: 'Print the records instead of sending them.' },
    },
    more: '  spillway generate --rate 50\n  spillway generate --dataset dns_logs --count 3 --seed 1 --print',
    async run(terminal, given) {
      const dataset = findDataset(given.dataset ?? 'http_requests')
      if (given.rate !== undefined && given.count !== undefined) throw new UsageError('say --rate or --count, not both')
      if (given.rate === undefined && given.seconds !== undefined) throw new UsageError('--seconds belongs to --rate')
      const rate = readNumber('rate', given.rate, 1_000_000)
      const seconds = readNumber('seconds', given.seconds, 1e9)
      const count = readNumber('count', given.count, 1e12) ?? 1000
      const seed = readNumber('seed', given.seed, 2 ** 31) ?? Math.floor(Math.random() * 2 ** 31)

      const stepNanos = rate ? Math.ceil(1e9 / rate) : 1_000_000
      const generator = makeGenerator(dataset, seed, { from: systemClock(), stepNanos })
      const progress = makeProgress(terminal)
      const totals = { accepted: 0, rejected: 0 }
      const hand = given.print
        ? async (lines: Buffer) => terminal.out(lines.toString('utf8', 0, lines.length - 1))
        : await makeSender()

      for await (const size of rate ? beats(rate, seconds, terminal.signal) : portions(count)) {
        if (terminal.signal.aborted) break
        await hand(generator.lines(size))
      }
      progress.end()
      if (!given.print)
        terminal.out(
          given.json ? JSON.stringify({ ...totals, seed }) : `${sayTotals()} of ${dataset.name} (seed ${seed})`,
        )
      return totals.rejected > 0 ? 1 : 0

      async function makeSender() {
        const { client, scope, account } = connect(given)
        const send = makeSend({
          client,
          scope: dataset.scope === 'account' ? { account: account() } : await scope(),
          dataset: dataset.name,
          signal: terminal.signal,
          onRetry: (why, waitMs) => progress.say(`waiting ${(waitMs / 1000).toFixed(1)} s: ${why}`),
        })
        return async (lines: Buffer) => {
          const { accepted, rejected, errors } = await send(lines, randomUUID())
          totals.accepted += accepted
          totals.rejected += rejected
          for (const { line, message } of errors.slice(0, 3)) progress.say(`record ${line}: ${message}`)
          progress.show(sayTotals(), rate ? undefined : totals.accepted / count)
        }
      }

      function sayTotals(): string {
        return `${totals.accepted} records taken, ${totals.rejected} refused`
      }
    },
  }),
]

function findDataset(name: string): Dataset {
  const dataset = datasets.find((each) => each.name === name)
  if (!dataset) throw new UsageError(`there is no shipped dataset ${name}; docs/reference/datasets.md lists them`)
  return dataset
}

function readNumber(flag: string, text: string | undefined, most: number): number | undefined {
  if (text === undefined) return undefined
  const number = Number(text)
  if (!/^\d+$/.test(text) || number < 1 || number > most)
    throw new UsageError(`--${flag} is a whole number from 1 to ${most}`)
  return number
}

function* portions(count: number): Generator<number> {
  for (let left = count; left > 0; left -= linesPerBatch) yield Math.min(left, linesPerBatch)
}

/** How many records are due at each beat, so that the rate holds on average even when a beat comes late. */
async function* beats(rate: number, seconds: number | undefined, signal: AbortSignal): AsyncGenerator<number> {
  const began = performance.now()
  for (let made = 0; !signal.aborted; ) {
    const elapsed = (performance.now() - began) / 1000
    const due = Math.floor(rate * Math.min(elapsed, seconds ?? elapsed)) - made
    if (due > 0) yield Math.min(due, linesPerBatch)
    made += Math.max(0, Math.min(due, linesPerBatch))
    if (seconds !== undefined && made >= rate * seconds) return
    if (due <= linesPerBatch) await sleep(1000 / beatsPerSecond, undefined, { signal }).catch(() => undefined)
  }
}
