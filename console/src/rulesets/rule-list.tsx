/** The rules of a draft in order, a thousand of them as smoothly as ten: to find, to open, to move by drag and by keyboard. */

import { useCallback, useEffect, useMemo, useState } from 'react'
import type { ErrorItem } from '../../../src/contract/index.ts'
import { counted } from '../format.ts'
import { mostWhole, useLongList } from '../parts/long-list.ts'
import { Empty } from '../parts/page.tsx'
import { SearchField } from '../parts/search-field.tsx'
import type { Draft, RuleDraft } from './draft.ts'
import { errorsOfRule } from './fault.ts'
import { RuleCard } from './rule-card.tsx'
import type { RuleFormProps } from './rule-form.tsx'
import { titleOf } from './ruleset.ts'

/** The refusals are what the API said about all rules when they were sent. */
type RuleListProps = Omit<RuleFormProps, 'rule'> & { readonly draft: Draft }

const none: readonly ErrorItem[] = []

export function RuleList({ draft, refusals, ...shared }: RuleListProps) {
  const { rules, moved } = draft
  const [search, setSearch] = useState('')
  const [opened, setOpened] = useState<ReadonlyMap<string, boolean>>(new Map())
  const [dragged, setDragged] = useState<string>()
  const found = useMemo(
    () => rules.map((rule, at) => ({ rule, at })).filter(({ rule }) => isAbout(rule, search)),
    [rules, search],
  )
  const keys = useMemo(() => found.map(({ rule }) => rule.key), [found])
  const isOpen = useCallback((key: string) => opened.get(key) ?? key.startsWith('new-'), [opened])
  // An open rule holds what is being typed, a dragged one the drag, the one just moved the focus.
  const pinned = useMemo(
    () => keys.filter((key) => isOpen(key) || key === dragged || key === moved),
    [keys, isOpen, dragged, moved],
  )
  const { place, pieces } = useLongList<HTMLOListElement>({ keys, guessPx: 64, gapPx: 8, pinned })
  const open = useCallback(
    (key: string, isOpen: boolean) => setOpened((before) => new Map(before).set(key, isOpen)),
    [],
  )

  // The browser drops the focus of what is moved in the page.
  useEffect(() => {
    if (draft.moved && draft.rules.length > 0) document.getElementById(`grip-${draft.moved}`)?.focus()
  }, [draft])
  const movedTo = rules.findIndex(({ key }) => key === moved)
  const movedRule = rules[movedTo]

  return (
    <>
      <p className="visually-hidden" aria-live="assertive">
        {movedRule && `${titleOf(movedRule.said)} is now ${movedTo + 1} of ${rules.length}`}
      </p>
      {rules.length > mostWhole && (
        <div className="row spread">
          <SearchField
            label="Find rules"
            hint="Find by description, expression or action"
            value={search}
            onSearch={setSearch}
          />
          <span className="soft" aria-live="polite">
            {search === ''
              ? counted(rules.length, 'rule')
              : `${counted(found.length, 'rule')} of ${rules.length} found; each keeps its place`}
          </span>
        </div>
      )}
      {rules.length === 0 && (
        <div className="card">
          <Empty title="No rules yet">
            <p>Rules run from top to bottom. Nothing is deployed before you say so.</p>
          </Empty>
        </div>
      )}
      {rules.length > 0 && found.length === 0 && <Empty title={`No rule is about “${search}”.`} />}
      <ol className="rules" aria-label="Rules" ref={place}>
        {pieces.map((piece) => {
          if (piece.kind === 'room')
            return <li key={`room ${piece.before}`} data-room aria-hidden="true" style={{ height: piece.px }} />
          const one = found[piece.at]
          return (
            one && (
              <RuleCard
                {...shared}
                key={one.rule.key}
                rule={one.rule}
                at={one.at}
                of={rules.length}
                isOpen={isOpen(one.rule.key)}
                refusals={refusals.length === 0 ? none : errorsOfRule(refusals, one.at)}
                onOpen={open}
                onDrag={setDragged}
              />
            )
          )
        })}
      </ol>
    </>
  )
}

const isAbout = ({ said }: RuleDraft, search: string): boolean =>
  search === '' ||
  [said.description, said.expression, said.action, said.ref].join(' ').toLowerCase().includes(search.toLowerCase())
