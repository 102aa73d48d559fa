/** A rule tried on the requests of the last hour: how many it would have matched, and which. */
import { useState } from 'react'
import { edge, type ResultOf } from '../../../src/contract/index.ts'
import { useAction } from '../asking.ts'
import { count } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { Notice, Problem } from '../parts/notice.tsx'
import { useSession } from '../session.tsx'

export function Replay({ expression }: { readonly expression: string }) {
  const { client, scope } = useSession()
  const [result, setResult] = useState<ResultOf<typeof edge.replayRules>>()
  const replay = useAction(async () => setResult(await client.call(edge.replayRules, { scope, body: { expression } })))
  const cannot = [...(result?.fields_not_recorded ?? []), ...(result?.functions_not_replayed ?? [])]
  return (
    <>
      <div>
        <Button isBusy={replay.isRunning} disabled={expression.trim() === ''} onClick={() => void replay.run()}>
          Try it on stored requests
        </Button>
      </div>
      <Problem error={replay.error} />
      {result && (
        <Notice tone={result.count === null ? 'warn' : 'info'}>
          <p>
            {result.count === null
              ? `That cannot be told: records do not hold ${cannot.join(', ')}.`
              : `${count(result.count)} of ${count(result.total)} requests would have matched.`}
          </p>
          {result.top.path.length > 0 && (
            <p className="soft">
              Most often:{' '}
              {result.top.path
                .slice(0, 5)
                .map(({ value, count: many }) => `${value} (${count(many)})`)
                .join(', ')}
            </p>
          )}
        </Notice>
      )}
    </>
  )
}
