/** For an administrator of a service that has no account yet: makes one, and the console opens in it. */
import { useState } from 'react'
import { access, type Client } from '../../../src/contract/index.ts'
import { useAction } from '../asking.ts'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/field.tsx'
import { Problem } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'

export function FirstAccount({ client, onMade }: { readonly client: Client; onMade(): void }) {
  const [name, setName] = useState('')
  const make = useAction(async () => {
    await client.call(access.createAccount, { body: { name } })
    onMade()
  })
  return (
    <main className="main">
      <div className="inner">
        <Page
          title="The first account"
          says="There is no account yet. Members, tokens, zones and their jobs belong to one."
        >
          <form
            className="card"
            onSubmit={(event) => {
              event.preventDefault()
              void make.run()
            }}
          >
            <TextField label="Name" value={name} onChange={setName} placeholder="Example Ltd." required />
            <Problem error={make.error} />
            <div className="row">
              <Button tone="main" type="submit" isBusy={make.isRunning}>
                Create the account
              </Button>
            </div>
          </form>
        </Page>
      </div>
    </main>
  )
}
