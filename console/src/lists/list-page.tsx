/** One list: its items in order, to find, add and remove. */
import { useState } from 'react'
import { lists, type ResultOf } from '../../../src/contract/index.ts'
import { useAction, useAnswer } from '../asking.ts'
import { ago, counted } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { TextArea } from '../parts/field.tsx'
import { Notice, Problem } from '../parts/notice.tsx'
import { Badge, Card, Loading, Page } from '../parts/page.tsx'
import { go, Link } from '../router.tsx'
import { useSession } from '../session.tsx'
import { ItemTable } from './item-table.tsx'
import { examples, readItems } from './items.ts'

type List = ResultOf<typeof lists.viewList>

export function ListPage({ id }: { readonly id: string }) {
  const { client, at, place } = useSession()
  const call = { scope: { account: place.account.id }, params: { list_id: id } }
  const list = useAnswer((signal) => client.call(lists.viewList, { ...call, signal }), [call])
  if (!list.value)
    return (
      <Page title="List">
        {list.error ? <Problem error={list.error} onRetry={list.again} /> : <Loading what="the list" />}
        <Link to={at('lists')}>All lists</Link>
      </Page>
    )
  return <KnownList list={list.value} again={list.again} />
}

function KnownList({ list, again }: { readonly list: List; again(): void }) {
  const { client, at, place } = useSession()
  const [isDeleting, setDeleting] = useState(false)
  const call = { scope: { account: place.account.id }, params: { list_id: list.id } }
  return (
    <Page
      title={`$${list.name}`}
      heading={
        <>
          ${list.name} <Badge tone="accent">{list.kind}</Badge>
        </>
      }
      says={
        <>
          {list.description && <span className="break">{list.description} · </span>}
          {counted(list.num_items, 'item')}, changed {ago(list.modified_on)}
        </>
      }
      actions={
        <Button tone="danger" onClick={() => setDeleting(true)}>
          Delete
        </Button>
      }
    >
      <AddItems list={list} onAdded={again} />
      <ItemTable list={list} onRemoved={again} />
      {isDeleting && (
        <Confirm
          title={`Delete $${list.name}?`}
          word={list.name}
          verb="Delete the list"
          onClose={() => setDeleting(false)}
          act={async () => {
            await client.call(lists.deleteList, call)
            go(at('lists'))
          }}
        >
          <p>Its items go with it. A list that a deployed rule names cannot be deleted.</p>
        </Confirm>
      )}
    </Page>
  )
}

function AddItems({ list, onAdded }: { readonly list: List; onAdded(): void }) {
  const { client, place } = useSession()
  const [text, setText] = useState('')
  const [added, setAdded] = useState<number>()
  const add = useAction(async () => {
    const items = readItems(list.kind, text)
    setAdded(undefined)
    await client.call(lists.addItems, {
      scope: { account: place.account.id },
      params: { list_id: list.id },
      body: items,
    })
    setText('')
    setAdded(items.length)
    onAdded()
  })
  return (
    <Card title="Add items">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void add.run()
        }}
      >
        <TextArea
          label="Items, one a line"
          rows={3}
          value={text}
          onChange={setText}
          placeholder={examples[list.kind] ?? ''}
          hint={
            list.kind === 'string'
              ? 'A line is an item as it stands.'
              : 'What follows a # is a comment. An item that is there already gets the new comment.'
          }
        />
        <Problem error={add.error} />
        {added !== undefined && <Notice tone="good">{counted(added, 'item')} written.</Notice>}
        <div>
          <Button tone="main" type="submit" isBusy={add.isRunning} disabled={text.trim() === ''}>
            Add
          </Button>
        </div>
      </form>
    </Card>
  )
}
