/** The secrets that requests to an HTTPS receiver are signed with: shown on demand, replaced at will. */
import { useState } from 'react'
import { logexport } from '../../../src/contract/index.ts'
import { useAnswer } from '../asking.ts'
import { Button, CopyButton } from '../parts/button.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { Notice, Problem } from '../parts/notice.tsx'
import { Loading } from '../parts/page.tsx'
import { useSession } from '../session.tsx'
import type { Job } from './job.ts'

/** Only requests to HTTPS addresses may be signed; which of them are the service knows. */
export const mayBeSigned = ({ destination_conf: conf }: Job): boolean => conf.startsWith('https://')

export function Signing({ job }: { readonly job: Job }) {
  const { client, scope } = useSession()
  const call = { scope, params: { job_id: job.id } }
  const signing = useAnswer((signal) => client.call(logexport.viewSigning, { ...call, signal }), [scope, job.id])
  const [isShown, setShown] = useState(false)
  const [isAsked, setAsked] = useState(false)
  const rotate = async () => {
    await client.call(logexport.rotateSigning, call)
    setAsked(false)
    signing.again()
  }
  return (
    <>
      <p className="soft">
        Every request carries a signature in the Standard Webhooks manner, so that the receiver knows whom it is from.
        After a rotation both secrets sign until the next one: change over at your leisure.
      </p>
      <Problem error={signing.error} onRetry={signing.again} />
      {!signing.value && !signing.error && <Loading what="the secrets" />}
      {signing.value?.secrets.length === 0 && <Notice>Requests to this kind of receiver are not signed.</Notice>}
      {signing.value?.secrets.map((secret, at) => (
        <div key={secret} className="secret">
          <span>
            <span className="label">{at === 0 ? 'Newest' : 'The one before'}</span>{' '}
            <code>{isShown ? secret : '••••••••••••••••'}</code>
          </span>
          <CopyButton text={secret} label={at === 0 ? 'Copy' : 'Copy the old one'} />
        </div>
      ))}
      {signing.value && signing.value.secrets.length > 0 && (
        <div className="row">
          <Button onClick={() => setShown(!isShown)} isPressed={isShown}>
            {isShown ? 'Hide' : 'Show'}
          </Button>
          <Button tone="danger" onClick={() => setAsked(true)}>
            Rotate…
          </Button>
        </div>
      )}
      {isAsked && (
        <Confirm
          title="Sign with a new secret?"
          word="rotate"
          verb="Rotate"
          onClose={() => setAsked(false)}
          act={rotate}
        >
          <p>
            The newest secret becomes the one before, and the one before that ends. A receiver that knows only the
            oldest refuses from then on.
          </p>
        </Confirm>
      )}
    </>
  )
}
