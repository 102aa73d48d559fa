/** The foot of a step of the guide: back, and what goes on. */
import type { ReactNode } from 'react'
import { Button } from '../parts/button.tsx'

type StepFootProps = { readonly children: ReactNode; onBack(): void }

export function StepFoot({ children, onBack }: StepFootProps) {
  return (
    <footer>
      <Button onClick={onBack}>Back</Button>
      {children}
    </footer>
  )
}
