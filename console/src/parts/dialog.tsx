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
export function Confirm({ title, children, word, verb, act, onClose }: ConfirmProps) {
  const [typed, setTyped] = useState('')
  const action = useAction(act)
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (typed === word) void action.run()
        }}
      >
        <div className="prose">{children}</div>
        <TextField label={`Type ${word} to confirm`} value={typed} onChange={setTyped} />
        <Problem error={action.error} />
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="danger" type="submit" disabled={typed !== word} isBusy={action.isRunning}>
            {verb}
          </Button>
        </footer>
      </form>
    </Dialog>
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
