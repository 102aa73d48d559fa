/** Items of a list in order of their values, page after page as one asks for more. */

import { useEffect, useMemo, useRef, useState } from 'react'
import { lists, type ResultOf } from '../../../src/contract/index.ts'
import { useAction } from '../asking.ts'
import { counted, when } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { useLongList } from '../parts/long-list.ts'
import { Problem } from '../parts/notice.tsx'
import { Empty, Loading } from '../parts/page.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { useSession } from '../session.tsx'
import { wordsOf } from './items.ts'

type List = ResultOf<typeof lists.viewList>
type Found = {
  readonly items: ResultOf<typeof lists.listItems>
  /** Where the next page begins; absent when there is none. */
  readonly cursor: string | undefined
}

const perPage = 200

export function ItemTable({ list, onRemoved }: { readonly list: List; onRemoved(): void }) {
  const { client, place: at } = useSession()
  const call = { scope: { account: at.account.id }, params: { list_id: list.id } }
  const [search, setSearch] = useState('')
  const [found, setFound] = useState<Found>()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const newest = useRef(0)
  const read = useAction(async (known: Found | undefined) => {
    newest.current += 1
    const own = newest.current
    const query = {
      per_page: perPage,
      ...(search === '' ? {} : { search }),
      ...(known?.cursor === undefined ? {} : { cursor: known.cursor }),
    }
    const { result, result_info: info } = await client.ask(lists.listItems, { ...call, query })
    const { after } = (info?.cursors ?? {}) as { after?: string }
    // Other items may be looked for by now, and an answer to that may have come first.
    if (own === newest.current) setFound({ items: [...(known?.items ?? []), ...result], cursor: after || undefined })
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: read anew when the list changed or other items are looked for.
  useEffect(() => {
    const timer = setTimeout(() => void read.run(undefined), search === '' ? 0 : 250)
    return () => clearTimeout(timer)
  }, [list.id, list.version, search])
  const remove = useAction(async () => {
    await client.call(lists.removeItems, { ...call, body: { items: [...chosen].map((id) => ({ id })) } })
    setChosen(new Set())
    onRemoved()
  })
  const toggle = (id: string) => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    setChosen(next)
  }
  const items = found?.items ?? []
  const keys = useMemo(() => (found?.items ?? []).map(({ id }) => id), [found])
  const { place, pieces } = useLongList<HTMLTableSectionElement>({ keys, guessPx: 37 })
  return (
    <>
      <div className="row spread">
        <SearchField label="Find items" hint="Items that begin with…" value={search} onSearch={setSearch} />
        <Button tone="danger" disabled={chosen.size === 0} isBusy={remove.isRunning} onClick={() => void remove.run()}>
          Remove {chosen.size > 0 ? counted(chosen.size, 'item') : 'chosen items'}
        </Button>
      </div>
      <Problem error={read.error} onRetry={() => void read.run(undefined)} />
      <Problem error={remove.error} />
      {!found && !read.error && <Loading what="items" />}
      {found?.items.length === 0 && (
        <div className="card">
          <Empty title={search === '' ? 'No items yet' : `No item begins with “${search}”.`} />
        </div>
      )}
      {items.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        <section className="table-wrap items" aria-label="Items" tabIndex={0}>
          <table aria-rowcount={found?.cursor === undefined ? items.length + 1 : -1}>
            <thead>
              <tr aria-rowindex={1}>
                <th>
                  <span className="visually-hidden">Choose</span>
                </th>
                <th>Item</th>
                <th>Comment</th>
                <th>Since</th>
              </tr>
            </thead>
            <tbody ref={place}>
              {pieces.map((piece) => {
                if (piece.kind === 'room')
                  return (
                    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: an empty row takes no focus.
                    <tr key={`room ${piece.before}`} data-room aria-hidden="true" style={{ height: piece.px }} />
                  )
                const item = items[piece.at]
                const words = item && wordsOf(list.kind, item)
                return (
                  item && (
                    <tr key={item.id} data-row={item.id} aria-rowindex={piece.at + 2}>
                      <td>
                        <input
                          type="checkbox"
                          aria-label={`Choose ${words}`}
                          checked={chosen.has(item.id)}
                          onChange={() => toggle(item.id)}
                        />
                      </td>
                      <td className="mono break">{words}</td>
                      <td className="break">{String(item.comment ?? '')}</td>
                      <td className="nowrap numeric">{when(String(item.created_on))}</td>
                    </tr>
                  )
                )
              })}
            </tbody>
          </table>
        </section>
      )}
      {found?.cursor !== undefined && (
        <div className="row">
          <Button isBusy={read.isRunning} onClick={() => void read.run(found)}>
            Show more
          </Button>
          <span className="soft">{counted(items.length, 'item')} shown</span>
        </div>
      )}
    </>
  )
}
