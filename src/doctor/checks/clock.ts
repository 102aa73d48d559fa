/** The clock: it goes with the clocks of the databases, and is not behind what was already exported. */
import { fromDate, second, toDate, toRfc3339 } from '../../base/index.ts'
import { describeDatabase } from '../../db/index.ts'
import { newestWindowEnd } from '../../jobs/index.ts'
import { type Check, doubtful, fine, type Note, type Patient, wrong } from '../finding.ts'
import { askServer } from './records.ts'

const where = 'the clock of this machine'
const todo = 'Let time synchronisation (chrony, systemd-timesyncd) set it.'
// Leases are taken by one process and judged by another: a skew of seconds eats into their thirty.
const [mostSkewMs, muchSkewMs] = [1_000, 5_000]
// Nobody ran this before it was written.
const written = fromDate(new Date('2026-01-01T00:00:00Z'))

export const clock: Check = {
  name: 'clock',
  says: 'The clock agrees with the databases and with what was exported.',
  async look(patient) {
    const { now } = patient
    if (now() < written) return [wrong(where, `It says ${toRfc3339(now())}, which cannot be.`, todo)]
    const notes = (await Promise.all([ofDatabase(patient), ofRecords(patient), ofWindows(patient)])).flat()
    return notes.length > 0 ? notes : [fine(where, `It says ${toRfc3339(now())}.`)]
  },
}

/** The other clock is asked in between two looks at ours; half of what that took is taken off. */
async function compare(patient: Patient, other: string, ask: () => Promise<number | undefined>): Promise<Note[]> {
  const before = patient.now()
  const theirs = await ask().catch(() => undefined)
  if (theirs === undefined) return []
  const ours = toDate((before + patient.now()) / 2n).getTime()
  const skewMs = Math.round(theirs - ours)
  const said = `It is ${Math.abs(skewMs) / 1000} s ${skewMs > 0 ? 'behind' : 'ahead of'} that of ${other}.`
  if (Math.abs(skewMs) > muchSkewMs) return [wrong(where, said, todo)]
  return Math.abs(skewMs) > mostSkewMs ? [doubtful(where, said, todo)] : []
}

const ofDatabase = async (patient: Patient): Promise<Note[]> => {
  const { database } = patient
  if (!database || 'trouble' in database || database.dialect === 'sqlite') return []
  return compare(patient, 'the database', async () => (await describeDatabase(database)).unixMs)
}

const ofRecords = async (patient: Patient): Promise<Note[]> => {
  if (!patient.config.clickhouseUrl) return []
  return compare(patient, 'ClickHouse', async () => (await askServer(patient.config)).unixMs)
}

async function ofWindows({ database, now }: Patient): Promise<Note[]> {
  if (!database || 'trouble' in database) return []
  const newest = await newestWindowEnd(database).catch(() => 0n)
  // New records are stamped past the newest window until the clock has caught up: nothing is lost, but nothing is right.
  if (newest < now() + 60n * second) return []
  return [wrong(where, `It says ${toRfc3339(now())}, but windows were exported up to ${toRfc3339(newest)}.`, todo)]
}
