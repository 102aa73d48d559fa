/** Ten of the newest records as the job would export them. */
import { useAnswer } from '../asking.ts'
import { fetchRecords } from '../logs/fetch-records.ts'
import { Button } from '../parts/button.tsx'
import { Problem } from '../parts/notice.tsx'
import { Card, Empty, Loading } from '../parts/page.tsx'
import { useSession } from '../session.tsx'
import type { Selection } from './selection.ts'

const lookBackMs = 15 * 60_000

export function Preview({ selection }: { readonly selection: Selection }) {
  const { client, scope } = useSession()
  const { value, error, isLoading, again } = useAnswer(
    (signal) => {
      const end = new Date()
      const start = new Date(end.getTime() - lookBackMs)
      return fetchRecords(client, scope, { ...selection, count: 10, start, end }, signal)
    },
    [scope, selection],
  )
  return (
    <Card
      title="Preview"
      aside={
        <Button tone="quiet" onClick={again} isBusy={isLoading}>
          Look again
        </Button>
      }
    >
      <Problem error={error} />
      {!value && !error && <Loading what="records" />}
      {value?.length === 0 && (
        <Empty title="No record of the last 15 minutes fits. The job will wait for the next ones." />
      )}
      {value && value.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        <pre className="conf" tabIndex={0}>
          {value.map((record) => JSON.stringify(record)).join('\n')}
        </pre>
      )}
    </Card>
  )
}
