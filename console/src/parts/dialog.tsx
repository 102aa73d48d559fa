/** A dialog the browser itself keeps the focus in; Escape closes it. */
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useAction } from '../asking.ts'
import { Button, CopyButton } from './button.tsx'
import { TextField } from './field.tsx'
import { Problem } from './notice.tsx'

type DialogProps = { readonly title: string; readonly children: ReactNode; onClose(): void }

export function Dialog({ title, children, onClose }: DialogProps) {
  const place = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    place.current?.showModal()
  }, [])
  return (
    <dialog ref={place} className="dialog" aria-labelledby={id} onClose={onClose}>
      <header>
        <h2 id={id}>{title}</h2>
        <Button tone="quiet" icon="close" label="Close" onClick={onClose} />
      </header>
      {children}
    </dialog>
  )
}

type FormDialogProps = {
  readonly title: string
  readonly verb: string
  readonly tone?: 'main' | 'danger'
  readonly isReady?: boolean
  readonly children: ReactNode
  act(): Promise<void>
  onClose(): void
}

/** A few fields and what is to be done with them; what went wrong is said above the buttons. */
export function FormDialog({ title, verb, tone = 'main', isReady = true, children, act, onClose }: FormDialogProps) {
  const action = useAction(act)
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady) void action.run()
        }}
      >
        {children}
        <Problem error={action.error} />
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone={tone} type="submit" disabled={!isReady} isBusy={action.isRunning}>
            {verb}
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}

type ConfirmProps = {
  readonly title: string
  readonly children: ReactNode
  /** What to type before it may be done. */
  readonly word: string
  readonly verb: string
  act(): Promise<void>
  onClose(): void
}

/** For what cannot be undone: the name has to be typed. */
export function Confirm({ children, word, ...rest }: ConfirmProps) {
  const [typed, setTyped] = useState('')
  return (
    <FormDialog {...rest} tone="danger" isReady={typed === word}>
      <div className="prose">{children}</div>
      <TextField label={`Type ${word} to confirm`} value={typed} onChange={setTyped} />
    </FormDialog>
  )
}

type ShownOnceProps = { readonly title: string; readonly secret: string; readonly says: string; onClose(): void }

/** A secret that the service will never show again. */
export function ShownOnce({ title, secret, says, onClose }: ShownOnceProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{says}</p>
      <div className="secret">
        <code>{secret}</code>
        <CopyButton text={secret} />
      </div>
      <footer>
        <Button tone="main" onClick={onClose}>
          I have stored it
        </Button>
      </footer>
    </Dialog>
  )
}
