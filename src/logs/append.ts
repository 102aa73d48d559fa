/** Takes records in: the answer comes after they are durable, and says which lines were not taken and why. */
import { problems, type Scope, scopePath } from '../base/index.ts'
import type { Dataset } from '../datasets/index.ts'
import { asking } from './asking.ts'
import { type Budget, makeBudget } from './budget.ts'
import {
  type CommitNeeds,
  commit,
  type Groups,
  hashLines,
  hasRecords,
  makeGroups,
  Refused,
  type Unit,
} from './commit.ts'
import type { Care } from './insert.ts'
import { type PartId, readTries, writeTry } from './keys.ts'
import { makeLineJudge } from './line.ts'
import { type Batch, cutLines, type LineFault } from './lines.ts'
import { makeSeenFields, type SeenFields } from './seen.ts'
import { findUnreadable } from './unreadable.ts'

export type AppendNeeds = IngestNeeds & { readonly ingest: Ingest }
type IngestNeeds = Omit<CommitNeeds, 'seen'>

/** What ingest remembers between requests. Made once. */
export type Ingest = {
  readonly groups: Groups
  readonly budget: Budget
  readonly seen: SeenFields
  /** Requests with a key that are under way here; a repeat waits for the first. */
  readonly underWay: Map<string, Promise<Appended>>
  /** Senders whose lines have unknown fields: the engine would refuse, so it is not asked first. */
  readonly odd: Set<string>
}

export function makeIngest(needs: IngestNeeds, budgetBytes = 256 << 20): Ingest {
  const seen = makeSeenFields()
  return {
    groups: makeGroups({ ...needs, seen }),
    budget: makeBudget(budgetBytes),
    seen,
    underWay: new Map(),
    odd: new Set(),
  }
}

export type Appended = {
  readonly accepted: number
  readonly rejected: number
  /** How often each field that the dataset does not have was there; at most 100 names. */
  readonly unknownFields: Readonly<Record<string, number>>
  /** The first 100. */
  readonly errors: readonly LineFault[]
}

const mostErrors = 100
const mostUnknown = 100

export async function append(
  needs: AppendNeeds,
  scope: Scope,
  dataset: Dataset,
  body: AsyncIterable<Uint8Array>,
  { idempotencyKey }: { readonly idempotencyKey?: string } = {},
): Promise<Appended> {
  if (idempotencyKey === undefined) return appendBody(needs, scope, dataset, body, undefined)
  const key = `${scopePath(scope)} ${dataset.name} ${idempotencyKey}`
  const { underWay } = needs.ingest
  // A repeat of what is under way starts when that has ended, and finds it done.
  for (let before = underWay.get(key); before; before = underWay.get(key)) await before.catch(() => {})
  const work = appendBody(needs, scope, dataset, body, idempotencyKey)
  underWay.set(key, work)
  try {
    return await work
  } finally {
    underWay.delete(key)
  }
}

async function appendBody(
  needs: AppendNeeds,
  scope: Scope,
  dataset: Dataset,
  body: AsyncIterable<Uint8Array>,
  key: string | undefined,
): Promise<Appended> {
  const { budget } = needs.ingest
  const total = { accepted: 0, rejected: 0, unknown: new Map<string, number>(), faults: [] as LineFault[] }
  let held = 0
  async function* metered() {
    for await (const chunk of body) {
      budget.take(chunk.length)
      held += chunk.length
      yield chunk
    }
  }
  try {
    let part = 0
    for await (const batch of cutLines(metered())) {
      const before = held
      const id = { scope: scopePath(scope), dataset: dataset.name, key: key ?? '', part }
      const taken = await (key === undefined
        ? appendBatch(needs, scope, dataset, batch)
        : appendPart(needs, scope, dataset, batch, id))
      total.accepted += taken.accepted
      total.rejected += taken.faults.length
      total.faults.push(...taken.faults.slice(0, mostErrors))
      for (const [name, count] of taken.unknown) total.unknown.set(name, (total.unknown.get(name) ?? 0) + count)
      part += 1
      budget.give(before)
      held -= before
    }
  } finally {
    budget.give(held)
  }
  return {
    accepted: total.accepted,
    rejected: total.rejected,
    unknownFields: Object.fromEntries([...total.unknown].slice(0, mostUnknown)),
    errors: total.faults.toSorted((a, b) => a.line - b.line).slice(0, mostErrors),
  }
}

type Taken = {
  readonly accepted: number
  readonly faults: readonly LineFault[]
  readonly unknown: ReadonlyMap<string, number>
}

type Insert = (unit: Unit) => Promise<unknown>

/** The engine first; what it refuses is judged line by line. */
async function appendBatch(
  needs: AppendNeeds,
  scope: Scope,
  dataset: Dataset,
  batch: Batch,
  insert: Insert = (unit) => needs.ingest.groups.add(dataset, unit),
): Promise<Taken> {
  const { odd, seen } = needs.ingest
  const sender = `${scopePath(scope)} ${dataset.name}`
  if (batch.lines.length === 0) return { accepted: 0, faults: batch.faults, unknown: new Map() }
  if (!odd.has(sender) && !batch.hasLongNumbers) {
    seen.look(dataset, batch.lines)
    try {
      await insert({ scope, lines: batch.lines, bytes: batch.bytes, care: careFor(dataset, batch) })
      return { accepted: batch.lines.length, faults: batch.faults, unknown: new Map() }
    } catch (error) {
      if (!(error instanceof Refused)) throw error
    }
  }
  const judged = judgeBatch(dataset, batch)
  if (judged.unknown.size > 0 && odd.size < 10_000) odd.add(sender)
  else if (judged.unknown.size === 0) odd.delete(sender)
  const rest = await insertJudged(needs, scope, dataset, judged, insert)
  return { accepted: rest.accepted, faults: [...judged.faults, ...rest.faults], unknown: judged.unknown }
}

/** A guess by the first and the last line; when it is wrong, the engine refuses and the lines are judged. */
function careFor(dataset: Dataset, { lines }: Batch): Care {
  const times = dataset.fields.filter((field) => field.timestamp).map((field) => field.name)
  const isText = new RegExp(`"(?:${times.join('|')})"\\s*:\\s*"`)
  return times.length > 0 && [lines[0], lines.at(-1)].some((line) => isText.test(String(line))) ? 'texts' : 'numbers'
}

type JudgedBatch = {
  readonly lines: Buffer[]
  readonly numbers: number[]
  readonly faults: readonly LineFault[]
  readonly unknown: ReadonlyMap<string, number>
}

function judgeBatch(dataset: Dataset, batch: Batch): JudgedBatch {
  const judge = makeLineJudge(dataset)
  const faults = [...batch.faults]
  const unknown = new Map<string, number>()
  const lines: Buffer[] = []
  const numbers: number[] = []
  for (const [index, line] of batch.lines.entries()) {
    const number = batch.numbers[index] as number
    const text = line.toString()
    const verdict = judge(text)
    if (verdict.ok) {
      lines.push(verdict.text === text ? line : Buffer.from(verdict.text))
      numbers.push(number)
      for (const name of verdict.unknown)
        if (unknown.has(name) || unknown.size < mostUnknown) unknown.set(name, (unknown.get(name) ?? 0) + 1)
    } else faults.push({ line: number, message: verdict.why })
  }
  return { lines, numbers, faults, unknown }
}

/** What we found sound and the engine refuses all the same is found by halving, and said in general words. */
async function insertJudged(needs: AppendNeeds, scope: Scope, dataset: Dataset, judged: JudgedBatch, insert: Insert) {
  const unitOf = (lines: readonly Buffer[]): Unit => ({
    scope,
    lines,
    bytes: lines.reduce((sum, line) => sum + line.length, 0),
    care: 'judged',
  })
  if (judged.lines.length === 0) return { accepted: 0, faults: [] }
  try {
    await insert(unitOf(judged.lines))
    return { accepted: judged.lines.length, faults: [] }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
  }
  const bad = new Set(await asking(() => findUnreadable(needs.store, dataset, judged.lines)))
  const good = judged.lines.filter((_, index) => !bad.has(index))
  if (good.length > 0) {
    await insert(unitOf(good)).catch((error) => {
      // Each could be read by itself just now: this is no fault of the lines, and the sender must not drop them.
      throw error instanceof Refused
        ? problems.unavailable('The record store does not take these lines; try again')
        : error
    })
  }
  const faults = [...bad].map((index) => ({
    line: judged.numbers[index] as number,
    message: 'the record store cannot read this line',
  }))
  return { accepted: good.length, faults }
}

/** A part of a request with a key; decision 0010 says why each step is there. */
async function appendPart(
  needs: AppendNeeds,
  scope: Scope,
  dataset: Dataset,
  batch: Batch,
  id: PartId,
): Promise<Taken> {
  const { store, ingest } = needs
  const body = hashLines(batch.lines)
  const tries = await asking(() => readTries(store, id))
  if (tries.some((each) => each.body !== body)) throw problems.keyReused()
  const stamps = tries.map(({ at }) => at)
  const isThere = () => asking(() => hasRecords(store, dataset, scope, stamps))
  if (stamps.length > 0 && (await isThere())) {
    const judged = judgeBatch(dataset, batch)
    return { accepted: judged.lines.length, faults: judged.faults, unknown: judged.unknown }
  }

  const announce = async (at: bigint) => {
    await writeTry(store, id, body, at)
    stamps.push(at)
  }
  const token = `${id.scope} ${id.key} ${id.part} ${body}`
  const insert = (unit: Unit, by: string) =>
    commit({ ...needs, seen: ingest.seen }, dataset, [unit], { token: by, announce })
  return appendBatch(needs, scope, dataset, batch, async (unit) => {
    await insert(unit, token)
    // Killed between noting the token and showing the rows, the store would take this insert for a repeat of nothing.
    if (stamps.length > 1 && !(await isThere())) await insert(unit, `${token} ${stamps.length}`)
  })
}
