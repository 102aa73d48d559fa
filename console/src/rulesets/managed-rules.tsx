/** The rules of a managed ruleset, by tag. What they look for is the operator's; what they do is for all to see. */
import { useMemo, useState } from 'react'
import { count } from '../format.ts'
import { Badge } from '../parts/page.tsx'
import { actionTone, type RulesetView, titleOf } from './ruleset.ts'

export function ManagedRules({ ruleset }: { readonly ruleset: RulesetView }) {
  const [tag, setTag] = useState('')
  const tags = useMemo(() => {
    const counts = new Map<string, number>()
    for (const { categories } of ruleset.rules)
      for (const one of categories ?? []) counts.set(one, (counts.get(one) ?? 0) + 1)
    return [...counts].sort(([a], [b]) => (a < b ? -1 : 1))
  }, [ruleset])
  const found = ruleset.rules.filter(({ categories }) => tag === '' || categories?.includes(tag))
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
      <ol className="rules">
        {found.map((rule) => (
          <li key={rule.id} className={`rule${rule.enabled ? '' : ' off'}`}>
            <div className="rule-head">
              <span className="rule-place numeric">{ruleset.rules.indexOf(rule) + 1}</span>
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
        ))}
      </ol>
    </>
  )
}
