/** The rules of a managed ruleset, by tag. What they look for is the operator's; what they do is for all to see. */

import { useMemo, useState } from 'react'
import { count } from '../format.ts'
import { useLongList } from '../parts/long-list.ts'
import { Badge, Empty } from '../parts/page.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { actionTone, type RulesetView, type RuleView, titleOf } from './ruleset.ts'

export function ManagedRules({ ruleset }: { readonly ruleset: RulesetView }) {
  const [tag, setTag] = useState('')
  const tags = useMemo(() => {
    const counts = new Map<string, number>()
    for (const { categories } of ruleset.rules)
      for (const one of categories ?? []) counts.set(one, (counts.get(one) ?? 0) + 1)
    return [...counts].sort(([a], [b]) => (a < b ? -1 : 1))
  }, [ruleset])
  const [search, setSearch] = useState('')
  const found = useMemo(
    () =>
      ruleset.rules
        .map((rule, at) => ({ rule, at }))
        .filter(({ rule }) => (tag === '' || rule.categories?.includes(tag)) && isAbout(rule, search)),
    [ruleset, tag, search],
  )
  const keys = useMemo(() => found.map(({ rule }) => rule.id), [found])
  const { place, pieces } = useLongList<HTMLOListElement>({ keys, guessPx: 64, gapPx: 8 })
  return (
    <>
      <fieldset className="tags">
        <legend className="visually-hidden">Tags</legend>
        <button type="button" aria-pressed={tag === ''} onClick={() => setTag('')}>
          All <span className="numeric">{count(ruleset.rules.length)}</span>
        </button>
        {tags.map(([name, many]) => (
          <button key={name} type="button" aria-pressed={tag === name} onClick={() => setTag(name)}>
            {name} <span className="numeric">{many}</span>
          </button>
        ))}
      </fieldset>
      <SearchField label="Find rules" hint="Find by description or name" value={search} onSearch={setSearch} />
      {found.length === 0 && <Empty title="No rule fits." />}
      <ol className="rules" ref={place}>
        {pieces.map((piece) => {
          if (piece.kind === 'room')
            return <li key={`room ${piece.before}`} data-room aria-hidden="true" style={{ height: piece.px }} />
          const one = found[piece.at]
          return one && <ManagedRule key={one.rule.id} rule={one.rule} at={one.at} of={ruleset.rules.length} />
        })}
      </ol>
    </>
  )
}

const isAbout = ({ description, ref }: RuleView, search: string): boolean =>
  `${description} ${ref}`.toLowerCase().includes(search.toLowerCase())

type ManagedRuleProps = { readonly rule: RuleView; readonly at: number; readonly of: number }

function ManagedRule({ rule, at, of }: ManagedRuleProps) {
  return (
    <li className={`rule${rule.enabled ? '' : ' off'}`} data-row={rule.id} aria-posinset={at + 1} aria-setsize={of}>
      <div className="rule-head">
        <span className="rule-place numeric">{at + 1}</span>
        <div className="rule-words">
          <div className="row">
            <strong>{titleOf(rule)}</strong>
            <Badge tone={actionTone(rule.action)}>{rule.action}</Badge>
            {!rule.enabled && <Badge>off</Badge>}
            {rule.categories?.map((one) => (
              <Badge key={one} tone="accent">
                {one}
              </Badge>
            ))}
          </div>
          <code className="soft">{rule.ref}</code>
        </div>
      </div>
    </li>
  )
}
