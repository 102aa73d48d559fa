/** The frame of a page, and the small words and shapes that pages share. */
import { type ReactNode, useEffect } from 'react'

type PageProps = {
  readonly title: string
  /** When the heading says more than the tab should. */
  readonly heading?: ReactNode
  readonly says?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export function Page({ title, heading, says, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Spillway`
  }, [title])
  return (
    <>
      <header className="page-head">
        <div>
          <h1>{heading ?? title}</h1>
          {says && <p className="says">{says}</p>}
        </div>
        {actions && <div className="actions">{actions}</div>}
      </header>
      {children}
    </>
  )
}

type CardProps = { readonly title?: string; readonly aside?: ReactNode; readonly children: ReactNode }

export function Card({ title, aside, children }: CardProps) {
  return (
    <section className="card" aria-label={title}>
      {title && (
        <header>
          <h2>{title}</h2>
          {aside}
        </header>
      )}
      {children}
    </section>
  )
}

export type Tone = 'good' | 'warn' | 'bad' | 'calm' | 'accent'

export function Badge({ tone = 'calm', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return <span className={`badge ${tone}`}>{children}</span>
}

export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children}
    </div>
  )
}

export function Loading({ what }: { readonly what: string }) {
  return (
    <p className="loading" role="status">
      <span className="spinner" aria-hidden="true" /> Loading {what}…
    </p>
  )
}

type ProgressProps = { readonly label: string; readonly done: number; readonly of: number }

export function Progress({ label, done, of }: ProgressProps) {
  return (
    <div className="progress">
      <span>{label}</span>
      <progress aria-label={label} value={done} max={Math.max(1, of)} />
      <span className="numeric">
        {done} / {of}
      </span>
    </div>
  )
}

/** A figure with its name, for the head of a page. */
export function Figure({
  name,
  children,
  tone,
}: {
  readonly name: string
  readonly children: ReactNode
  readonly tone?: Tone
}) {
  return (
    <div className={`figure${tone ? ` ${tone}` : ''}`}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
