/** Whether something has come near the visible part of the page: long lists ask for details only then. */
import { type RefObject, useEffect, useRef, useState } from 'react'

export function useOnceSeen<E extends Element>(): readonly [RefObject<E | null>, boolean] {
  const place = useRef<E>(null)
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    const element = place.current
    if (!element || isSeen) return
    const watcher = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) setSeen(true)
      },
      { rootMargin: '100px' },
    )
    watcher.observe(element)
    return () => watcher.disconnect()
  }, [isSeen])
  return [place, isSeen]
}
