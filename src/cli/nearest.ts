/** The word somebody meant: the known one with the fewest letters to change. */

/** Undefined when none is near: more than a third of the letters, or more than three, would have to change. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const most = Math.min(3, Math.ceil(word.length / 3))
  const scored = known.map((name) => [distance(word, name), name] as const).filter(([steps]) => steps <= most)
  return scored.toSorted(([a], [b]) => a - b)[0]?.[1]
}

/** Letters put in, left out, changed, or swapped with their neighbour. */
function distance(from: string, to: string): number {
  // What is typed may be long; nothing that far from a known word is near it.
  if (Math.abs(from.length - to.length) > 3) return Number.POSITIVE_INFINITY
  let [before, last]: [number[], number[]] = [[], Array.from({ length: to.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= to.length; j += 1) {
      const change = (last[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      row.push(Math.min(change, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, isSwap ? (before[j - 2] ?? 0) + 1 : change))
    }
    ;[before, last] = [last, row]
  }
  return last[to.length] ?? 0
}
