/** Lists of an account: addresses, hosts, networks, words or redirects that expressions look up by `$name`. */
import { type Caller, record } from '../access/index.ts'
import { newId, problems, type Scope, showMoment, toMoment } from '../base/index.ts'
import { type Db, isTaken, type ListItemsTable, type ListsTable } from '../db/index.ts'
import { accepted, type RulesetNeeds } from './change.ts'
import { itemShapes, type ListItem, type ListKind, listDraft, listUpdate } from './list-items.ts'
import type { Rule } from './ruleset.ts'
import { id as idShape, judgeShape, listOf, object, required } from './shape.ts'

const view = (row: ListsTable, items: number) => ({
  id: row.id,
  name: row.name,
  kind: row.kind,
  description: row.description,
  num_items: items,
  version: String(row.version),
  created_on: showMoment(row.created_on),
  modified_on: showMoment(row.modified_on),
})
export type ListView = ReturnType<typeof view>

const viewItem = (row: ListItemsTable) => ({
  id: row.id,
  ...(JSON.parse(row.content) as Record<string, unknown>),
  ...(row.comment === '' ? {} : { comment: row.comment }),
  created_on: showMoment(row.created_on),
  modified_on: showMoment(row.modified_on),
})

export async function listLists({ db }: RulesetNeeds, scope: Scope): Promise<ListView[]> {
  const rows = await db
    .selectFrom('lists')
    .selectAll()
    .where('account_id', '=', scope.account)
    .orderBy('name')
    .execute()
  const counts = await db
    .selectFrom('list_items')
    .innerJoin('lists', 'lists.id', 'list_items.list_id')
    .select((eb) => ['list_id', eb.fn.countAll<number>().as('items')])
    .where('account_id', '=', scope.account)
    .groupBy('list_id')
    .execute()
  const items = new Map(counts.map((count) => [count.list_id, Number(count.items)]))
  return rows.map((row) => view(row, items.get(row.id) ?? 0))
}

export async function viewList({ db }: RulesetNeeds, scope: Scope, id: string): Promise<ListView> {
  return shown(db, await listRow(db, scope, id))
}

async function shown(db: Db, row: ListsTable): Promise<ListView> {
  const { items } = await db
    .selectFrom('list_items')
    .select((eb) => eb.fn.countAll<number>().as('items'))
    .where('list_id', '=', row.id)
    .executeTakeFirstOrThrow()
  return view(row, Number(items))
}

export async function createList(
  { db, now }: RulesetNeeds,
  caller: Caller,
  scope: Scope,
  body: unknown,
): Promise<ListView> {
  const { name, kind, description = '' } = accepted(judgeShape(listDraft, body))
  const at = now()
  const moment = toMoment(at)
  const row = {
    id: newId(),
    account_id: scope.account,
    name,
    kind,
    description,
    version: 1,
    created_on: moment,
    modified_on: moment,
  }
  try {
    return await db.transaction().execute(async (trx) => {
      await trx.insertInto('lists').values(row).execute()
      await record(trx, {
        caller,
        at,
        scope,
        action: 'create',
        resource: { type: 'list', id: row.id },
        new: { name, kind, description },
      })
      return view(row, 0)
    })
  } catch (error) {
    throw isTaken(error) ? problems.listTaken(name) : error
  }
}

export function updateList(needs: RulesetNeeds, caller: Caller, scope: Scope, id: string, body: unknown) {
  const { description } = accepted(judgeShape(listUpdate, body))
  return change(needs, caller, scope, id, async (trx, row) => {
    await trx.updateTable('lists').set({ description }).where('id', '=', id).execute()
    return { old: { description: row.description }, new: { description } }
  })
}

/** A list that a rule in force names cannot go. */
export async function deleteList(
  needs: RulesetNeeds,
  caller: Caller,
  scope: Scope,
  id: string,
): Promise<{ id: string }> {
  return needs.db.transaction().execute(async (trx) => {
    const row = await listRow(trx, scope, id)
    const users = await usersOf(trx, scope, row.name)
    if (users.length > 0) throw problems.listInUse(row.name, users)
    await trx.deleteFrom('lists').where('id', '=', id).execute()
    await record(trx, {
      caller,
      at: needs.now(),
      scope,
      action: 'delete',
      resource: { type: 'list', id },
      old: { name: row.name, kind: row.kind },
    })
    return { id }
  })
}

async function usersOf(db: Db, scope: Scope, name: string): Promise<string[]> {
  const rows = await db
    .selectFrom('rulesets')
    .innerJoin('ruleset_versions', (join) =>
      join
        .onRef('ruleset_versions.ruleset_id', '=', 'rulesets.id')
        .onRef('ruleset_versions.version', '=', 'rulesets.current_version'),
    )
    .select(['rulesets.id', 'ruleset_versions.rules'])
    .where('account_id', '=', scope.account)
    .where((eb) => eb.or([eb('rules', 'like', `%$${name}%`), eb('rules', 'like', `%"${name}"%`)]))
    .execute()
  // Names hold only letters, digits, dots and underscores, so the end of the name is the first other character.
  const named = new RegExp(String.raw`\$${name.replaceAll('.', String.raw`\.`)}(?![a-z0-9_.])`)
  const uses = (rule: Rule) =>
    [rule.expression, rule.ratelimit?.counting_expression ?? ''].some((text) => named.test(text)) ||
    (rule.action_parameters?.from_list as { name?: string } | undefined)?.name === name
  return rows.filter((row) => (JSON.parse(row.rules) as Rule[]).some(uses)).map((row) => `ruleset ${row.id}`)
}

export type ItemQuery = { readonly cursor?: string; readonly perPage?: number; readonly search?: string }

export async function listItems(
  { db }: RulesetNeeds,
  scope: Scope,
  id: string,
  { cursor, perPage = 500, search }: ItemQuery,
) {
  await listRow(db, scope, id)
  let found = db
    .selectFrom('list_items')
    .selectAll()
    .where('list_id', '=', id)
    .orderBy('value')
    .limit(perPage + 1)
  if (cursor !== undefined)
    found = found.where('value', '>', plain(Buffer.from(cursor, 'base64url').toString(), 'cursor'))
  if (search !== undefined) {
    const from = plain(search, 'search')
    found = found.where('value', '>=', from).where('value', '<', `${from}\u{10ffff}`)
  }
  const rows = await found.execute()
  const page = rows.slice(0, perPage)
  const last = rows.length > perPage ? page.at(-1) : undefined
  return { items: page.map(viewItem), perPage, cursor: last && Buffer.from(last.value).toString('base64url') }
}

/** Text that a database can compare with. */
function plain(text: string, name: string): string {
  if (text.includes('\0'))
    throw problems.invalid([{ message: `${name} contains a null character`, pointer: `/${name}` }])
  return text
}

const mostItems = 100_000

/** Adds items; one that is there already gets the new comment. */
export async function addItems(needs: RulesetNeeds, caller: Caller, scope: Scope, id: string, body: unknown) {
  return change(needs, caller, scope, id, async (trx, row) => {
    const items = judgeItems(row.kind as ListKind, body)
    await write(trx, id, items, toMoment(needs.now()))
    return { new: { added: items.map((item) => item.value) } }
  })
}

/** Replaces all items. */
export async function replaceItems(needs: RulesetNeeds, caller: Caller, scope: Scope, id: string, body: unknown) {
  return change(needs, caller, scope, id, async (trx, row) => {
    const items = judgeItems(row.kind as ListKind, body)
    const before = await trx.selectFrom('list_items').select('value').where('list_id', '=', id).execute()
    const [was, is] = [new Set(before.map(({ value }) => value)), new Set(items.map(({ value }) => value))]
    const gone = [...was].filter((value) => !is.has(value))
    for (const part of batches(gone))
      await trx.deleteFrom('list_items').where('list_id', '=', id).where('value', 'in', part).execute()
    await write(trx, id, items, toMoment(needs.now()))
    return { old: { removed: gone }, new: { added: [...is].filter((value) => !was.has(value)) } }
  })
}

const removal = object({ items: required(listOf(object({ id: required(idShape) }), { min: 1, max: mostItems })) })

export async function removeItems(needs: RulesetNeeds, caller: Caller, scope: Scope, id: string, body: unknown) {
  const { items } = accepted(judgeShape(removal, body))
  return change(needs, caller, scope, id, async (trx) => {
    const removed: string[] = []
    for (const part of batches(items.map((item) => item.id))) {
      const rows = await trx
        .deleteFrom('list_items')
        .where('list_id', '=', id)
        .where('id', 'in', part)
        .returning(['id', 'value'])
        .execute()
      const missing = part.find((item) => !rows.some((row) => row.id === item))
      if (missing) throw problems.listItemMissing(missing)
      removed.push(...rows.map((row) => row.value))
    }
    return { old: { removed } }
  })
}

function judgeItems(kind: ListKind, body: unknown): ListItem[] {
  const items = accepted(judgeShape(listOf(itemShapes[kind], { min: 1, max: mostItems }), body))
  return [...new Map(items.map((item) => [item.value, item])).values()]
}

async function write(trx: Db, listId: string, items: readonly ListItem[], moment: string): Promise<void> {
  for (const part of batches(items))
    await trx
      .insertInto('list_items')
      .values(
        part.map(({ value, content, comment }) => ({
          id: newId(),
          list_id: listId,
          value,
          content: JSON.stringify(content),
          comment,
          created_on: moment,
          modified_on: moment,
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(['list_id', 'value']).doUpdateSet((eb) => ({
          content: eb.ref('excluded.content'),
          comment: eb.ref('excluded.comment'),
          modified_on: eb.ref('excluded.modified_on'),
        })),
      )
      .execute()
}

// Seven parameters an item; databases take 32,000 in a statement.
function* batches<T>(all: readonly T[], size = 1000): Generator<T[]> {
  for (let from = 0; from < all.length; from += size) yield all.slice(from, from + size)
}

type Told = { readonly old?: unknown; readonly new?: unknown }

/** One change to a list: its version rises, and the audit log tells the difference. */
function change(
  { db, now }: RulesetNeeds,
  caller: Caller,
  scope: Scope,
  id: string,
  work: (trx: Db, row: ListsTable) => Promise<Told>,
): Promise<ListView> {
  return db.transaction().execute(async (trx) => {
    const at = now()
    // The update comes first: it locks the row, so that changes to one list happen one after the other.
    await trx
      .updateTable('lists')
      .set((eb) => ({ version: eb('version', '+', 1), modified_on: toMoment(at) }))
      .where('id', '=', id)
      .where('account_id', '=', scope.account)
      .execute()
    const told = await work(trx, await listRow(trx, scope, id))
    await record(trx, { caller, at, scope, action: 'update', resource: { type: 'list', id }, ...told })
    return shown(trx, await listRow(trx, scope, id))
  })
}

async function listRow(db: Db, scope: Scope, id: string): Promise<ListsTable> {
  const row = await db
    .selectFrom('lists')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', scope.account)
    .executeTakeFirst()
  if (!row) throw problems.listMissing(id)
  return row
}
