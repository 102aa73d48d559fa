/** Which rows of a long list are drawn, and the room that stands for the others: arithmetic only. */

/** A row that is drawn, or the room of a run of rows that are not. */
export type Piece =
  | { readonly kind: 'row'; readonly at: number }
  | { readonly kind: 'room'; readonly before: number; readonly px: number }

/** Rows from the first up to, but without, the last. */
export type Stretch = { readonly from: number; readonly to: number }

type Span = { readonly top: number; readonly bottom: number }

/** The rows that lie in the span, and those within so many pixels of it. */
export function stretchAround(heights: readonly number[], { top, bottom }: Span, margin: number): Stretch {
  let from = 0
  let above = 0
  for (; from < heights.length - 1 && above + (heights[from] ?? 0) <= top - margin; from++) above += heights[from] ?? 0
  let to = from
  for (let below = above; to < heights.length && (below < bottom + margin || to === from); to++)
    below += heights[to] ?? 0
  return { from, to }
}

/** Whether what is drawn reaches so far beyond what is visible. */
export function isWithin(heights: readonly number[], drawn: Stretch, visible: Span, margin: number): boolean {
  const needed = stretchAround(heights, visible, margin)
  return drawn.from <= needed.from && needed.to <= drawn.to
}

/** Every row of the stretch and every kept one, with room between them that is as tall as what is left out. */
export function piecesOf(heights: readonly number[], { from, to }: Stretch, kept: ReadonlySet<number>): Piece[] {
  const pieces: Piece[] = []
  let px = 0
  for (const [at, height] of heights.entries()) {
    const isDrawn = (at >= from && at < to) || kept.has(at)
    if (!isDrawn) {
      px += height
      continue
    }
    if (px > 0) pieces.push({ kind: 'room', before: at, px })
    px = 0
    pieces.push({ kind: 'row', at })
  }
  if (px > 0) pieces.push({ kind: 'room', before: heights.length, px })
  return pieces
}
