/** A router as small as the console needs: the path is the state, links are links, and nothing else is kept. */
import { type MouseEvent, type ReactNode, useSyncExternalStore } from 'react'

const root = '/console'
const moved = 'spillway:moved'

/** The segments below `/console`, decoded. */
export function useSegments(): readonly string[] {
  const path = useSyncExternalStore(subscribe, () => location.pathname)
  return path.slice(root.length).split('/').filter(Boolean).map(decode)
}

function subscribe(changed: () => void): () => void {
  addEventListener('popstate', changed)
  addEventListener(moved, changed)
  return () => {
    removeEventListener('popstate', changed)
    removeEventListener(moved, changed)
  }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

export const pathTo = (...segments: readonly string[]): string =>
  `${root}/${segments.map((segment) => encodeURIComponent(segment)).join('/')}`

export function go(path: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') history.pushState(null, '', path)
  else history.replaceState(null, '', path)
  dispatchEvent(new Event(moved))
  scrollTo(0, 0)
}

type LinkProps = {
  readonly to: string
  readonly className?: string
  readonly isCurrent?: boolean
  readonly children: ReactNode
}

/** A real link, so that a middle click opens a tab; a plain click stays in the page. */
export function Link({ to, className, isCurrent, children }: LinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    go(to)
  }
  return (
    <a href={to} className={className} aria-current={isCurrent ? 'page' : undefined} onClick={follow}>
      {children}
    </a>
  )
}
