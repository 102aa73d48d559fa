/**
 * Long lists draw only the rows near the visible part of the page; empty room of the same height stands for the rest.
 * What the browser's own search cannot find any more, a list that uses this must let people search for itself; short
 * lists are drawn whole. A row carries `data-row` with its key, room carries `data-room`.
 */
import { type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { isWithin, type Piece, piecesOf, type Stretch, stretchAround } from './stretch.ts'

type LongListNeeds = {
  /** One for each row, in order; a row keeps its key wherever it goes. */
  readonly keys: readonly string[]
  /** How tall a row is before it was ever drawn. */
  readonly guessPx: number
  readonly gapPx?: number
  /** Rows that stay in the page wherever it is scrolled to: they hold something that would be lost. */
  readonly pinned?: readonly string[]
}

/** Up to here a list is drawn whole, and the browser's search finds everything in it. */
export const mostWhole = 60
/** Drawn beyond each edge of the window, and how near an edge may come before more is drawn. */
const aheadPx = 700
const leastAheadPx = 300

const nobody: readonly string[] = []

export function useLongList<E extends HTMLElement>({
  keys,
  guessPx,
  gapPx = 0,
  pinned = nobody,
}: LongListNeeds): {
  readonly place: RefObject<E | null>
  readonly pieces: readonly Piece[]
} {
  const place = useRef<E>(null)
  const known = useRef(new Map<string, number>())
  const [drawn, setDrawn] = useState<Stretch>({ from: 0, to: mostWhole })
  const [focused, setFocused] = useState<string>()
  const heights = useRef<readonly number[]>([])
  heights.current = keys.map((key) => known.current.get(key) ?? guessPx + gapPx)

  useLayoutEffect(() => {
    if (keys.length <= mostWhole) return
    const look = () => {
      const first = place.current?.querySelector('[data-row], [data-room]')
      if (!place.current || !first) return
      for (const [key, px] of heightsIn(place.current)) known.current.set(key, px + gapPx)
      const top = -first.getBoundingClientRect().top
      const visible = { top, bottom: top + innerHeight }
      setFocused(focusIn(place.current))
      if (isWithin(heights.current, drawn, visible, leastAheadPx)) return
      const next = stretchAround(heights.current, visible, aheadPx)
      // A leap of the scroll bar leaves nothing to look at: that cannot wait for the next frame.
      if (isWithin(heights.current, drawn, visible, 0)) setDrawn(next)
      else flushSync(() => setDrawn(next))
    }
    // Not within the layout effect itself, where nothing may be flushed.
    const begin = requestAnimationFrame(look)
    // In the capture phase, so that it does not matter whether the page scrolls or something in it.
    addEventListener('scroll', look, { capture: true, passive: true })
    addEventListener('resize', look)
    return () => {
      cancelAnimationFrame(begin)
      removeEventListener('scroll', look, { capture: true })
      removeEventListener('resize', look)
    }
  }, [keys, gapPx, drawn])

  const kept = useMemo(() => {
    const wanted = new Set(focused === undefined ? pinned : [...pinned, focused])
    return wanted.size === 0 ? new Set<number>() : new Set(keys.flatMap((key, at) => (wanted.has(key) ? [at] : [])))
  }, [keys, pinned, focused])
  const stretch = keys.length <= mostWhole ? { from: 0, to: keys.length } : drawn
  return { place, pieces: piecesOf(heights.current, stretch, kept) }
}

function* heightsIn(list: HTMLElement): Generator<readonly [key: string, px: number]> {
  for (const row of list.querySelectorAll<HTMLElement>('[data-row]'))
    yield [row.dataset.row ?? '', row.getBoundingClientRect().height]
}

const focusIn = (list: HTMLElement): string | undefined => {
  const row = document.activeElement?.closest<HTMLElement>('[data-row]')
  return row && list.contains(row) ? row.dataset.row : undefined
}
