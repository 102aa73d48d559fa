/** Those who hold something in the account, people or programs: a table, a way in whose secret is shown once, a way out. */
import { type ReactNode, useState } from 'react'
import type { Answer } from '../asking.ts'
import { Button } from '../parts/button.tsx'
import { Confirm, ShownOnce } from '../parts/dialog.tsx'
import { Problem } from '../parts/notice.tsx'
import { Card, Empty, Loading } from '../parts/page.tsx'

type Ending = { readonly title: string; readonly word: string; readonly says: string; act(): Promise<unknown> }

type RosterProps<T> = {
  readonly title: string
  /** What they are called in the middle of a sentence. */
  readonly what: string
  readonly says?: ReactNode
  readonly empty: string
  readonly answer: Answer<readonly T[]>
  readonly error?: unknown
  readonly heads: readonly string[]
  readonly addVerb: string
  readonly endVerb: string
  readonly secret: { readonly title: string; readonly says: string }
  /** The cells of a row, without the one that ends it. */
  row(one: T): ReactNode
  ending(one: T): Ending
  form(onClose: () => void, onMade: (secret: string | undefined) => void): ReactNode
}

export function Roster<T extends { readonly id: string }>(props: RosterProps<T>) {
  const { title, what, says, empty, answer, heads, addVerb, endVerb, secret, row, ending, form } = props
  const [isAdding, setAdding] = useState(false)
  const [leaving, setLeaving] = useState<T>()
  const [shown, setShown] = useState<string>()
  const made = (value: string | undefined) => {
    setAdding(false)
    setShown(value)
    answer.again()
  }
  const end = leaving && ending(leaving)
  return (
    <Card
      title={title}
      aside={
        <Button icon="plus" onClick={() => setAdding(true)}>
          {addVerb}
        </Button>
      }
    >
      {says && <p className="soft">{says}</p>}
      <Problem error={answer.error ?? props.error} onRetry={answer.again} />
      {!answer.value && !answer.error && <Loading what={what} />}
      {answer.value?.length === 0 && <Empty title={empty} />}
      {answer.value && answer.value.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        <section className="wide" aria-label={title} tabIndex={0}>
          <table>
            <thead>
              <tr>
                {heads.map((head) => (
                  <th key={head}>{head}</th>
                ))}
                <th>
                  <span className="visually-hidden">{endVerb}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {answer.value.map((one) => (
                <tr key={one.id}>
                  {row(one)}
                  <td>
                    <Button tone="quiet" onClick={() => setLeaving(one)}>
                      {endVerb}
                    </Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {isAdding && form(() => setAdding(false), made)}
      {end && (
        <Confirm
          title={end.title}
          word={end.word}
          verb={endVerb}
          onClose={() => setLeaving(undefined)}
          act={async () => {
            await end.act()
            setLeaving(undefined)
            answer.again()
          }}
        >
          <p>{end.says}</p>
        </Confirm>
      )}
      {shown && <ShownOnce {...secret} secret={shown} onClose={() => setShown(undefined)} />}
    </Card>
  )
}
