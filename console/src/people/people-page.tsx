/** Tokens and members of the account, and one's own key. */
import { useState } from 'react'
import { access } from '../../../src/contract/index.ts'
import { Button } from '../parts/button.tsx'
import { Confirm, ShownOnce } from '../parts/dialog.tsx'
import { Card, Page } from '../parts/page.tsx'
import { useSession } from '../session.tsx'
import { Members } from './members.tsx'
import { Tokens } from './tokens.tsx'

export function PeoplePage() {
  const { place } = useSession()
  return (
    <Page
      title="Tokens & members"
      says={`Who may do what in ${place.account.name}. A role fits people; a token fits a program, with no more than it needs.`}
    >
      <Tokens title="API tokens" empty="No tokens yet" addVerb="New token" usual={['logs:read']} />
      <Members />
      <OwnKey />
    </Page>
  )
}

function OwnKey() {
  const { client, user, signOut } = useSession()
  const [isAsked, setAsked] = useState(false)
  const [key, setKey] = useState<string>()
  const roll = async () => {
    const { api_key } = await client.call(access.rollKey, {})
    setAsked(false)
    setKey(api_key)
  }
  return (
    <Card title="Your API key">
      <p className="soft">
        {user.email} signs in with an e-mail and a key. A new key ends the old one at once, here and in every program
        that uses it.
      </p>
      <div>
        <Button tone="danger" onClick={() => setAsked(true)}>
          Replace the key…
        </Button>
      </div>
      {isAsked && (
        <Confirm
          title="Replace your API key?"
          word="replace"
          verb="Replace the key"
          onClose={() => setAsked(false)}
          act={roll}
        >
          <p>Programs that use the old key stop working at once. You will be signed out here.</p>
        </Confirm>
      )}
      {key && (
        <ShownOnce
          title="Your new API key"
          secret={key}
          says="It is shown this once. Sign in with it again."
          onClose={signOut}
        />
      )}
    </Card>
  )
}
