/** Lists of an account, which expressions look up by `$name`. */
import { Type } from 'typebox'
import { operation } from './operation.ts'
import { id, oneOf, time } from './words.ts'

const kinds = ['ip', 'hostname', 'asn', 'string', 'redirect'] as const

const list = Type.Object({
  id,
  name: Type.String(),
  kind: Type.String({ description: kinds.join(', ') }),
  description: Type.String(),
  num_items: Type.Integer(),
  version: Type.String({ description: 'Grows with every change' }),
  created_on: time,
  modified_on: time,
})

export type ListItemView = { readonly id: string; readonly [member: string]: unknown }

const item = Type.Unsafe<ListItemView>(
  Type.Object(
    { id, comment: Type.Optional(Type.String()), created_on: time, modified_on: time },
    { description: 'One of ip, hostname, asn, string, redirect, as the kind of the list says' },
  ),
)

// Judged by the rulesets room, which tells every reason with its place.
const said = (description: string, example?: unknown) =>
  Type.Unsafe<unknown>({ description, ...(example === undefined ? {} : { examples: [example] }) })
const itemsBody = said('Items of the kind of the list', [{ ip: '192.0.2.0/24', comment: 'office' }])

const byId = Type.Object({ list_id: id })
const reading = { tag: 'Lists', place: 'account', allowed: 'rulesets:read' } as const
const writing = { tag: 'Lists', place: 'account', allowed: 'rulesets:edit' } as const

export const listLists = operation({
  ...reading,
  id: 'listLists',
  summary: 'Lists of the account',
  method: 'GET',
  path: '/rules/lists',
  result: Type.Array(list),
})

export const createList = operation({
  ...writing,
  id: 'createList',
  summary: 'Make an empty list',
  method: 'POST',
  path: '/rules/lists',
  body: Type.Object(
    {
      name: Type.Optional(said('Needed: lower-case letters, digits, underscores', 'office')),
      kind: Type.Optional({ ...said('Needed'), ...oneOf(kinds) }),
      description: Type.Optional(said('For people')),
    },
    { additionalProperties: true },
  ),
  result: list,
})

export const viewList = operation({
  ...reading,
  id: 'viewList',
  summary: 'One list, without its items',
  method: 'GET',
  path: '/rules/lists/{list_id}',
  params: byId,
  result: list,
})

export const updateList = operation({
  ...writing,
  id: 'updateList',
  summary: 'Change the description of a list',
  method: 'PUT',
  path: '/rules/lists/{list_id}',
  params: byId,
  body: Type.Object({ description: Type.Optional(said('Needed')) }, { additionalProperties: true }),
  result: list,
})

export const deleteList = operation({
  ...writing,
  id: 'deleteList',
  summary: 'Delete a list that no rule uses',
  method: 'DELETE',
  path: '/rules/lists/{list_id}',
  params: byId,
  result: Type.Object({ id: Type.String() }),
})

export const listItems = operation({
  ...reading,
  id: 'listListItems',
  summary: 'Items of a list, in order of their values',
  method: 'GET',
  path: '/rules/lists/{list_id}/items',
  params: byId,
  query: Type.Object({
    cursor: Type.Optional(Type.String({ minLength: 1 })),
    per_page: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
    search: Type.Optional(Type.String({ description: 'Only items that begin with this' })),
  }),
  result: Type.Array(item),
  pages: 'cursor',
})

export const addItems = operation({
  ...writing,
  id: 'addListItems',
  summary: 'Add items; one that is there gets the new comment',
  method: 'POST',
  path: '/rules/lists/{list_id}/items',
  params: byId,
  body: itemsBody,
  result: list,
})

export const replaceItems = operation({
  ...writing,
  id: 'replaceListItems',
  summary: 'Replace all items',
  method: 'PUT',
  path: '/rules/lists/{list_id}/items',
  params: byId,
  body: itemsBody,
  result: list,
})

export const removeItems = operation({
  ...writing,
  id: 'removeListItems',
  summary: 'Remove items by their ids',
  method: 'DELETE',
  path: '/rules/lists/{list_id}/items',
  params: byId,
  body: Type.Object({ items: Type.Optional(said('Needed: [{"id": ...}]')) }, { additionalProperties: true }),
  result: list,
})
