/** Signing in with e-mail and key, or with a token. Nothing is stored before the service has accepted it. */
import { type FormEvent, useEffect, useState } from 'react'
import { access, type Credential } from '../../src/contract/index.ts'
import { useAction } from './asking.ts'
import mark from './mark.svg'
import { Button, Choice } from './parts/button.tsx'
import { TextField } from './parts/field.tsx'
import { Notice, Problem } from './parts/notice.tsx'
import { clientFor } from './session.tsx'

type SignInProps = { onSignIn(credential: Credential): void; readonly reason: string | undefined }

export function SignIn({ onSignIn, reason }: SignInProps) {
  const [way, setWay] = useState<'key' | 'token'>('key')
  const [email, setEmail] = useState('')
  const [secret, setSecret] = useState('')
  useEffect(() => {
    document.title = 'Sign in · Spillway'
  }, [])
  const enter = useAction(async () => {
    const credential = way === 'key' ? { email: email.trim(), key: secret.trim() } : { token: secret.trim() }
    await clientFor(credential).call(access.viewUser, {})
    onSignIn(credential)
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void enter.run()
  }
  const change = (next: 'key' | 'token') => {
    setWay(next)
    setSecret('')
    enter.forget()
  }

  return (
    <div className="sign-in">
      <main>
        <div className="brand">
          <img src={mark} alt="" />
          <h1>Spillway</h1>
        </div>
        {reason && <Notice tone="warn">{reason}</Notice>}
        <div className="card">
          <Choice
            label="How to sign in"
            value={way}
            onChange={change}
            options={[
              ['key', 'E-mail and key'],
              ['token', 'API token'],
            ]}
          />
          <form onSubmit={submit}>
            {way === 'key' && (
              <TextField
                label="E-mail"
                type="email"
                value={email}
                onChange={setEmail}
                autoComplete="username"
                required
              />
            )}
            <TextField
              label={way === 'key' ? 'API key' : 'API token'}
              type="password"
              value={secret}
              onChange={setSecret}
              autoComplete="current-password"
              required
            />
            <Problem error={enter.error} />
            <Button tone="main" type="submit" isBusy={enter.isRunning}>
              Sign in
            </Button>
          </form>
        </div>
        <p className="hint">
          The first start of the service prints an e-mail and key, and keeps them in <code>first-run.json</code> in its
          data directory. This page forgets your credentials when its tab closes.
        </p>
      </main>
    </div>
  )
}
