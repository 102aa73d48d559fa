/** What went wrong and what to do about it; and the other things a page has to say. */
import type { ReactNode } from 'react'
import { Refused } from '../../../src/contract/index.ts'
import { Button } from './button.tsx'

type Tone = 'info' | 'good' | 'warn' | 'bad'

export function Notice({ tone = 'info', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return (
    <div className={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      {children}
    </div>
  )
}

type ProblemProps = { readonly error: unknown; readonly onRetry?: (() => void) | undefined }

/** Renders nothing when there is no error, so that it can stand anywhere. */
export function Problem({ error, onRetry }: ProblemProps) {
  if (error === undefined || error === null) return null
  const advice = adviceFor(error)
  return (
    <Notice tone="bad">
      {wordsOf(error).map((words) => (
        <p key={words} className="said">
          {words}
        </p>
      ))}
      {advice && <p className="advice">{advice}</p>}
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </Notice>
  )
}

const wordsOf = (error: unknown): readonly string[] => {
  if (error instanceof Refused)
    return error.errors.length > 0 ? error.errors.map(({ message }) => message) : [error.message]
  if (error instanceof TypeError) return ['The service did not answer.']
  return [error instanceof Error ? error.message : String(error)]
}

function adviceFor(error: unknown): string | undefined {
  if (error instanceof TypeError) return 'Check that it is running and that this machine reaches it, then try again.'
  if (!(error instanceof Refused)) return undefined
  const { status, retryAfter, requestId } = error
  if (isSignedOut(error)) return 'Sign in again with a key or token that is still good.'
  if (status === 403) return 'Your role or token does not allow this here. Ask an administrator of the account.'
  if (status === 404)
    return 'It may have been deleted, or it belongs to another zone. Go back to the list and look again.'
  if (status === 412) return 'Someone changed it meanwhile. Load it again and repeat your change.'
  if (status === 429) return `Wait ${retryAfter ?? 'a few'} seconds, then try again.`
  if (status >= 500)
    return `Try again. If it stays, the log of the service has more${requestId ? ` under request id ${requestId}` : ''}.`
  return 'Nothing was changed. Correct what is named above, then try again.'
}

/** The credential itself is not, or no longer, good. */
export const isSignedOut = (error: unknown): boolean =>
  error instanceof Refused && error.errors.some(({ code }) => code === 9103 || code === 9109)

export const codesOf = (error: unknown): readonly number[] =>
  error instanceof Refused ? error.errors.map(({ code }) => code) : []
