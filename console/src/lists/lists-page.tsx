/** Lists of the account, which rules look up by name. */
import { useState } from 'react'
import { lists } from '../../../src/contract/index.ts'
import { useAnswer } from '../asking.ts'
import { ago, counted } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { FormDialog } from '../parts/dialog.tsx'
import { Select, TextField } from '../parts/field.tsx'
import { Problem } from '../parts/notice.tsx'
import { Badge, Empty, Loading, Page } from '../parts/page.tsx'
import { go, Link } from '../router.tsx'
import { useSession } from '../session.tsx'
import { kinds, type ListKind } from './items.ts'

export function ListsPage() {
  const { client, at, place } = useSession()
  const scope = { account: place.account.id }
  const known = useAnswer((signal) => client.call(lists.listLists, { scope, signal }), [scope])
  const [isMaking, setMaking] = useState(false)
  return (
    <Page
      title="Lists"
      says={`Addresses, hosts and words of ${place.account.name}, for the rules of all its zones: ip.src in $office.`}
      actions={
        <Button icon="plus" tone="main" onClick={() => setMaking(true)}>
          New list
        </Button>
      }
    >
      <Problem error={known.error} onRetry={known.again} />
      {!known.value && !known.error && <Loading what="lists" />}
      {known.value?.length === 0 && (
        <div className="card">
          <Empty title="No lists yet">
            <p>A list keeps what many rules share in one place: change it once, and every rule follows.</p>
          </Empty>
        </div>
      )}
      {known.value && known.value.length > 0 && (
        <ol className="phases">
          {known.value.map(({ id, name, kind, description, num_items: many, modified_on: changed }) => (
            <li key={id} className="deployed">
              <Link to={at('lists', id)}>${name}</Link>
              <p className="break">{description || kinds.find(([one]) => one === kind)?.[1]}</p>
              <span className="row">
                <Badge tone="accent">{kind}</Badge>
                <Badge>{counted(many, 'item')}</Badge>
                <span className="soft">changed {ago(changed)}</span>
              </span>
            </li>
          ))}
        </ol>
      )}
      {isMaking && <NewList onClose={() => setMaking(false)} />}
    </Page>
  )
}

function NewList({ onClose }: { onClose(): void }) {
  const { client, at, place } = useSession()
  const [name, setName] = useState('')
  const [kind, setKind] = useState<ListKind>('ip')
  const [description, setDescription] = useState('')
  const make = async () => {
    const scope = { account: place.account.id }
    const { id } = await client.call(lists.createList, { scope, body: { name, kind, description } })
    go(at('lists', id))
  }
  return (
    <FormDialog title="New list" verb="Create" act={make} onClose={onClose}>
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        placeholder="office"
        required
        hint={`Lower-case letters, digits and underscores. Rules say ${useOf(kind, name || 'office')}`}
      />
      <Select
        label="Kind"
        value={kind}
        onChange={(next) => setKind(next as ListKind)}
        options={kinds.map(([one, words]) => [one, words])}
        hint="Name and kind cannot be changed later."
      />
      <TextField label="Description (optional)" value={description} onChange={setDescription} />
    </FormDialog>
  )
}

const useOf = (kind: string, name: string): string =>
  (kinds.find(([one]) => one === kind)?.[2] ?? '').replace('name', name)
