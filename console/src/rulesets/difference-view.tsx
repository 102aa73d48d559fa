/** A difference made visible: what came, what went, and what reads otherwise now. */
import { Badge } from '../parts/page.tsx'
import type { MemberChange, RuleChange } from './difference.ts'
import { titleOf } from './ruleset.ts'

const tones = { added: 'good', removed: 'bad', changed: 'warn', moved: 'accent' } as const

export function DifferenceView({ changes }: { readonly changes: readonly RuleChange[] }) {
  if (changes.length === 0) return <p className="soft">The rules are the same.</p>
  return (
    <ul className="difference">
      {changes.map((change) => (
        <li key={`${change.kind} ${change.from} ${change.to}`} className={change.kind}>
          <div className="row">
            <Badge tone={tones[change.kind]}>{change.kind}</Badge>
            <strong>{titleOf(change.rule)}</strong>
            <span className="soft">{placesOf(change)}</span>
          </div>
          {(change.kind === 'added' || change.kind === 'removed') && (
            <pre className={change.kind === 'added' ? 'after' : 'before'}>{String(change.rule.expression ?? '')}</pre>
          )}
          {change.members.map((member) => (
            <Member key={member.member} change={member} />
          ))}
        </li>
      ))}
    </ul>
  )
}

const placesOf = ({ from, to }: RuleChange): string => {
  if (from === undefined) return `now ${to}.`
  if (to === undefined) return `was ${from}.`
  return from === to ? `${to}.` : `${from}. → ${to}.`
}

/** The two texts with what they share at both ends shown plainly. */
function Member({ change: { member, before, after } }: { readonly change: MemberChange }) {
  const start = commonStart(before, after)
  const end = commonStart(reversed(before.slice(start)), reversed(after.slice(start)))
  const cut = (text: string) => [
    text.slice(0, start),
    text.slice(start, text.length - end),
    text.slice(text.length - end),
  ]
  const [head, old, tail] = cut(before)
  const [, now] = cut(after)
  return (
    <div className="member">
      <span className="soft">{member}</span>
      {before !== '' && (
        <pre className="before">
          {head}
          {old && <del>{old}</del>}
          {tail}
        </pre>
      )}
      {after !== '' && (
        <pre className="after">
          {head}
          {now && <ins>{now}</ins>}
          {tail}
        </pre>
      )}
    </div>
  )
}

function commonStart(one: string, other: string): number {
  let at = 0
  while (at < one.length && at < other.length && one[at] === other[at]) at++
  return at
}

const reversed = (text: string): string => [...text].reverse().join('')
