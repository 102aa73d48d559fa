/** Something that is not needed every day: a button, and the card it opens. */
import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Card } from './page.tsx'

type FoldProps = { readonly title: string; readonly verb: string; readonly children: ReactNode }

export function Fold({ title, verb, children }: FoldProps) {
  const [isOpen, setOpen] = useState(false)
  if (!isOpen) return <Button onClick={() => setOpen(true)}>{verb}</Button>
  return (
    <div className="unfolded">
      <Card title={title} aside={<Button tone="quiet" icon="close" label="Close" onClick={() => setOpen(false)} />}>
        {children}
      </Card>
    </div>
  )
}
