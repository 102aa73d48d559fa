/** What is left of the page when something in it broke. */
import { Button } from './parts/button.tsx'
import { Notice } from './parts/notice.tsx'

export function Crashed({ error }: { readonly error: unknown }) {
  return (
    <main className="main">
      <div className="inner">
        <h1>This page broke</h1>
        <Notice tone="bad">
          <p className="said">{error instanceof Error ? error.message : String(error)}</p>
          <p className="advice">
            Nothing was changed by it. Load the page again; if it breaks again, the service and this page may be of
            different versions: tell whoever runs it, with the words above.
          </p>
          <Button onClick={() => location.reload()}>Load again</Button>
        </Notice>
      </div>
    </main>
  )
}
