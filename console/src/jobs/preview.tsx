/** The first records as the job would write them, and how much it would write. */
import { preview } from '../../../src/contract/index.ts'
import { useAnswer } from '../asking.ts'
import { bytes, count } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { Problem } from '../parts/notice.tsx'
import { Card, Empty, Loading } from '../parts/page.tsx'
import { useSession } from '../session.tsx'
import { type Selection, writeSelection } from './selection.ts'

export function Preview({ selection }: { readonly selection: Selection }) {
  const { client, scope } = useSession()
  const body = { dataset: selection.dataset, ...writeSelection(selection) }
  const { value, error, isLoading, again } = useAnswer(
    (signal) => client.call(preview.previewJob, { scope, body, signal }),
    [scope, body],
  )
  return (
    <Card
      title="Preview"
      aside={
        <span className="row">
          {value && (
            <span className="soft">
              about {count(value.rows_per_hour)} rows and {bytes(value.bytes_per_hour)} an hour before packing
            </span>
          )}
          <Button tone="quiet" onClick={again} isBusy={isLoading}>
            Look again
          </Button>
        </span>
      }
    >
      <Problem error={error} />
      {!value && !error && <Loading what="records" />}
      {value?.records === 0 && <Empty title="No recent record fits. The job will wait for the next ones." />}
      {value && value.records > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        <pre className="conf" tabIndex={0}>
          {value.text}
        </pre>
      )}
    </Card>
  )
}
