/** The second step: a challenge is written to the destination, and who can read it there proves that it is theirs. */
import { useState } from 'react'
import { logexport } from '../../../src/contract/index.ts'
import { useAction } from '../asking.ts'
import { Button, CopyButton } from '../parts/button.tsx'
import { TextArea } from '../parts/field.tsx'
import { Notice, Problem } from '../parts/notice.tsx'
import { Card } from '../parts/page.tsx'
import { useSession } from '../session.tsx'
import type { Kind } from './destination-kinds.ts'
import { StepFoot } from './step-foot.tsx'

export type Proof = { readonly conf: string; readonly token: string }

type ChallengeStepProps = {
  readonly kind: Kind
  readonly conf: string
  readonly masked: string
  onBack(): void
  onProven(proof: Proof): void
}

export function ChallengeStep({ kind, conf, masked, onBack, onProven }: ChallengeStepProps) {
  const { client, scope } = useSession()
  const [filename, setFilename] = useState<string>()
  const [token, setToken] = useState('')
  const issue = useAction(async () => {
    const answer = await client.call(logexport.issueChallenge, { scope, body: { destination_conf: conf } })
    if (!answer.valid)
      throw new Error(`${answer.message}\nGo back and correct the destination, or allow the service to write there.`)
    setFilename(answer.filename)
  })
  const prove = useAction(async () => {
    const body = { destination_conf: conf, ownership_challenge: token.trim() }
    const { valid } = await client.call(logexport.validateChallenge, { scope, body })
    if (!valid)
      throw new Error('This is not the token that was written there. Copy the whole text, or write a new challenge.')
    onProven({ conf, token: token.trim() })
  })
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void prove.run()
      }}
    >
      <Card title="Show that the destination is yours">
        <p>
          The service writes a small file with a token to <code>{masked}</code>. Who can read it there may send records
          there.
        </p>
        <div>
          <Button
            tone={filename === undefined ? 'main' : 'plain'}
            isBusy={issue.isRunning}
            onClick={() => void issue.run()}
          >
            {filename === undefined ? 'Write the challenge' : 'Write a new challenge'}
          </Button>
        </div>
        <Problem error={issue.error} />
        {filename !== undefined && (
          <>
            <Notice tone="good">
              <p>Written. {kind.challenge}</p>
              <div className="row">
                <code data-testid="challenge-file">{filename}</code>
                <CopyButton text={filename} label="Copy the name" />
              </div>
            </Notice>
            <TextArea label="Token" rows={3} value={token} onChange={setToken} hint="It is good for seven days." />
          </>
        )}
        <Problem error={prove.error} />
      </Card>
      <StepFoot onBack={onBack}>
        <Button tone="main" type="submit" disabled={token.trim() === ''} isBusy={prove.isRunning}>
          Continue
        </Button>
      </StepFoot>
    </form>
  )
}
