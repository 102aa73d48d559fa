/** "Did you mean": the known name that is nearest to an unknown one, if any is near enough. */

export const suggest = (word: string, names: Iterable<string>): string | undefined => {
  const most = Math.max(1, Math.floor(word.length / 4))
  let best: string | undefined
  let bestDistance = most + 1
  for (const name of names) {
    if (name.endsWith(`.${word}`) && bestDistance > 1) {
      best = name
      bestDistance = 1
    }
    if (Math.abs(name.length - word.length) >= bestDistance) continue
    const distance = editDistance(word.toLowerCase(), name)
    if (distance < bestDistance) {
      best = name
      bestDistance = distance
    }
  }
  return best
}

/** Insertions, deletions, replacements and swaps of neighbours. */
const editDistance = (left: string, right: string): number => {
  let before: number[] = []
  let last = Array.from({ length: right.length + 1 }, (_, at) => at)
  for (let row = 1; row <= left.length; row++) {
    const here = [row]
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1]
      let cost = Math.min(
        (here[column - 1] ?? 0) + 1,
        (last[column] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      )
      if (row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]) {
        cost = Math.min(cost, (before[column - 2] ?? 0) + 1)
      }
      here.push(cost)
    }
    before = last
    last = here
  }
  return last[right.length] ?? 0
}
