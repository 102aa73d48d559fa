/** Which stored requests rules would have matched, before anyone deploys them: asked of the records of the last hours. */
import { fromRfc3339, type Nanos, problems, type Reason, type Scope, second, toRfc3339 } from '../base/index.ts'
import type { Db } from '../db/index.ts'
import { fullScheme, judge, rangeOf, uses } from '../expression/index.ts'
import { type Among, commonest, type LogNeeds, newest, type Term, tally } from '../logs/index.ts'
import { findRow, override, type Rule, readRuleset } from '../rulesets/index.ts'
import { type ListContents, type ListItems, type Translation, translate } from './translate.ts'

export type Replay = {
  readonly expression?: string
  readonly rule?: { readonly expression: string; readonly [more: string]: unknown }
  readonly ruleset?: string | { readonly rules: readonly { readonly expression: string }[] }
  readonly start?: string
  readonly end?: string
}

type Needs = { readonly db: Db; readonly logs: LogNeeds }
type Limits = { readonly retentionDays: number }

/** A rule as far as it matters here, with the place it has in the body. */
type Asked = {
  readonly expression: string
  /** Of the `execute` rule by which it is reached. */
  readonly within?: string
  readonly isHidden?: boolean
  readonly description?: string
  readonly action?: string
  readonly pointer: string
}

const usualRange = 24n * 3600n * second
const mostRules = 500
const shown = [
  'EdgeStartTimestamp',
  'RayID',
  'ClientIP',
  'ClientCountry',
  'ClientRequestMethod',
  'ClientRequestHost',
  'ClientRequestURI',
  'ClientRequestUserAgent',
  'EdgeResponseStatus',
]

export async function replay(needs: Needs, scope: Scope, body: Replay, limits: Limits) {
  const { db, logs } = needs
  const dataset = logs.datasets.find('http_requests', 'zone')
  if (!dataset) throw problems.datasetUnknown('http_requests', scope.kind)
  const window = windowOf(logs, body, limits)
  const rules = await rulesOf(db, scope, body)
  const lists = await listsOf(db, scope)
  const translated = translateAll(rules, lists)
  const known = translated.filter(isWhole)
  const among: Among = { dataset, window, scopes: await zonesOf(db, scope) }
  const any: Term =
    known.length === 0
      ? { kind: 'truth', value: false }
      : { kind: 'apply', op: 'or', to: [...known.map((one) => one.condition), { kind: 'truth', value: false }] }
  const most = 10
  const [counted, path, country, address, sample] = await Promise.all([
    tally(logs, among, [any, ...known.map((one) => one.condition)]),
    commonest(logs, among, any, 'ClientRequestPath', most),
    commonest(logs, among, any, 'ClientCountry', most),
    commonest(logs, among, any, 'ClientIP', most),
    newest(logs, among, any, shown, most),
  ])
  const isComplete = known.length === translated.length
  const count = isComplete ? (counted.counts[0] ?? 0) : null
  return {
    start: toRfc3339(window.from, 'nanoseconds'),
    end: toRfc3339(window.to, 'nanoseconds'),
    total: counted.total,
    count,
    share: count === null || counted.total === 0 ? null : count / counted.total,
    sample: sample.map((record) => ({ ...record })),
    top: { path: [...path], country: [...country], address: [...address] },
    rules: rules.map(({ expression, isHidden, description, action }, index) => {
      const one = translated[index] as Translation
      return {
        // The operator's rules do not show what they look for, here as elsewhere.
        expression: isHidden ? '' : expression,
        ...(description ? { description } : {}),
        ...(action === undefined ? {} : { action }),
        count: isWhole(one) ? (counted.counts[known.indexOf(one) + 1] ?? 0) : null,
        ...lacksOf(isHidden ? [] : [one]),
      }
    }),
    ...lacksOf(translated.filter((_, index) => !rules[index]?.isHidden)),
  }
}

const isWhole = ({ missingFields, missingWords }: Translation): boolean =>
  missingFields.length === 0 && missingWords.length === 0

const lacksOf = (translated: readonly Translation[]) => ({
  fields_not_recorded: [...new Set(translated.flatMap((one) => one.missingFields))].sort(),
  functions_not_replayed: [...new Set(translated.flatMap((one) => one.missingWords))].sort(),
})

/** Up to the watermark: what is still being written would be counted now and not the next time. */
function windowOf(logs: LogNeeds, { start, end }: Replay, { retentionDays }: Limits) {
  const watermark = logs.watermark.read()
  const reasons: Reason[] = []
  const read = (text: string | undefined, name: string): Nanos | undefined => {
    const at = text === undefined ? undefined : fromRfc3339(text)
    if (text !== undefined && at === undefined)
      reasons.push({ message: `${name} is not an RFC 3339 time such as 2026-11-15T00:00:00Z`, pointer: `/${name}` })
    return at
  }
  const asked = read(end, 'end') ?? watermark
  const to = asked < watermark ? asked : watermark
  const from = read(start, 'start') ?? to - usualRange
  if (from >= to) reasons.push({ message: 'start is not before end', pointer: '/start' })
  if (from < watermark - BigInt(retentionDays) * 86_400n * second)
    reasons.push({ message: `records are kept for ${retentionDays} days; start is before that`, pointer: '/start' })
  if (reasons.length > 0) throw problems.invalid(reasons)
  return { from, to }
}

async function rulesOf(db: Db, scope: Scope, body: Replay): Promise<readonly Asked[]> {
  const { expression, rule, ruleset } = body
  const said = [expression, rule, ruleset].filter((one) => one !== undefined)
  if (said.length !== 1)
    throw problems.invalid([{ message: 'say one of expression, rule and ruleset', pointer: '/expression' }])
  if (expression !== undefined) return [{ expression, pointer: '/expression' }]
  if (rule !== undefined) return [{ ...askedOf(rule), pointer: '/rule/expression' }]
  if (typeof ruleset === 'string') return storedRules(db, scope, ruleset)
  const rules = (ruleset?.rules ?? []).map((one, index) => ({
    ...askedOf(one),
    pointer: `/ruleset/rules/${index}/expression`,
  }))
  if (rules.length > mostRules)
    throw problems.invalid([{ message: `more than ${mostRules} rules at once`, pointer: '/ruleset/rules' }])
  return rules
}

function askedOf(rule: object): Omit<Asked, 'pointer'> {
  const { expression, description, action } = rule as Record<string, unknown>
  return {
    expression: String(expression),
    ...(typeof description === 'string' ? { description } : {}),
    ...(typeof action === 'string' ? { action } : {}),
  }
}

/** The enabled rules of a stored ruleset; in the place of an `execute` rule, those it executes. */
async function storedRules(db: Db, scope: Scope, id: string): Promise<readonly Asked[]> {
  const found = await readById(db, scope, id)
  if (!found) throw problems.rulesetMissing(id.slice(0, 100))
  const asked: Asked[] = []
  for (const rule of found.rules.filter((one) => one.enabled)) {
    if (rule.action !== 'execute') asked.push(storedOf(rule, found.kind === 'managed'))
    else asked.push(...(await executedBy(db, scope, rule)))
  }
  if (asked.length > mostRules)
    throw problems.invalid([{ message: `it has more than ${mostRules} rules`, pointer: '/ruleset' }])
  return asked
}

const storedOf = (rule: Rule, isHidden: boolean): Asked => ({ ...askedOf(rule), isHidden, pointer: '/ruleset' })

async function executedBy(db: Db, scope: Scope, rule: Rule): Promise<readonly Asked[]> {
  const { id, version, overrides } = (rule.action_parameters ?? {}) as {
    id: string
    version?: string
    overrides?: Parameters<typeof override>[1]
  }
  const target = await readById(db, scope, id, version)
  const rules = target ? override(target.rules, overrides).filter((one) => one.enabled) : []
  return rules.map((one) => ({ ...storedOf(one, target?.kind === 'managed'), within: rule.expression }))
}

async function readById(db: Db, scope: Scope, id: string, version = 'latest') {
  const row = await findRow(db, scope, { id })
  return row && readRuleset(db, row, version === 'latest' ? undefined : Number(version))
}

function translateAll(rules: readonly Asked[], lists: ListItems): readonly Translation[] {
  const reasons: Reason[] = []
  const translated = rules.map(({ expression, within, pointer }) => {
    const parts = [within, expression].filter((text) => text !== undefined).map((text) => judge(text, fullScheme))
    for (const part of parts) if (!part.ok) reasons.push({ message: part.reasons[0].message, pointer })
    const done = parts.flatMap((part) => {
      if (!part.ok) return []
      for (const name of uses(part.value).lists)
        if (!lists(name)) reasons.push({ message: `the account has no list $${name}`, pointer })
      return [translate(part.value, lists)]
    })
    return {
      condition: {
        kind: 'apply',
        op: 'and',
        to: [...done.map((one) => one.condition), { kind: 'truth', value: true }],
      },
      missingFields: done.flatMap((one) => one.missingFields),
      missingWords: done.flatMap((one) => one.missingWords),
    } satisfies Translation
  })
  if (reasons.length > 0) throw problems.invalid(reasons.slice(0, 100))
  return translated
}

const contentsOf: Readonly<Record<string, ListContents['of']>> = {
  ip: 'Ip',
  asn: 'Int',
  hostname: 'Bytes',
  string: 'Bytes',
}

async function listsOf(db: Db, scope: Scope): Promise<ListItems> {
  const rows = await db
    .selectFrom('lists')
    .leftJoin('list_items', 'list_items.list_id', 'lists.id')
    .select(['lists.name', 'lists.kind', 'list_items.content'])
    .where('lists.account_id', '=', scope.account)
    .execute()
  const lists = new Map<string, ListContents>()
  for (const [name, items = []] of Object.entries(Object.groupBy(rows, (row) => row.name))) {
    const kind = items[0]?.kind ?? ''
    const of = contentsOf[kind]
    const values = items.flatMap(({ content }) => (content === null ? [] : [JSON.parse(content)[kind] as unknown]))
    if (of) lists.set(name, listContents(of, values))
  }
  return (name) => lists.get(name)
}

function listContents(of: ListContents['of'], values: readonly unknown[]): ListContents {
  switch (of) {
    case 'Bytes':
      return { of, items: values.map((value) => Buffer.from(String(value), 'utf8').toString('latin1')) }
    case 'Int':
      return { of, items: values.map((value) => ({ first: Number(value), last: Number(value) })) }
    case 'Ip':
      return { of, items: values.map(rangeOf).filter((range) => range !== undefined) }
  }
}

async function zonesOf(db: Db, scope: Scope): Promise<readonly Scope[]> {
  if (scope.kind === 'zone') return [scope]
  const zones = await db.selectFrom('zones').select('id').where('account_id', '=', scope.id).execute()
  return zones.map(({ id }) => ({ kind: 'zone', id, account: scope.account }))
}
