/** Moments counted into bars of equal length. */
import type { Bar } from '../parts/charts.tsx'

const most = 60
const lengthsMs = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 86_400].map(
  (seconds) => seconds * 1000,
)

export function histogram(moments: readonly unknown[]): readonly Bar[] {
  const times = moments.map((moment) => Date.parse(String(moment))).filter((time) => !Number.isNaN(time))
  if (times.length === 0) return []
  const first = times.reduce((a, b) => Math.min(a, b))
  const last = times.reduce((a, b) => Math.max(a, b))
  const lengthMs = lengthsMs.find((length) => (last - first) / length < most) ?? Math.ceil((last - first) / most)
  const start = Math.floor(first / lengthMs) * lengthMs
  const counts = new Array<number>(Math.floor((last - start) / lengthMs) + 1).fill(0)
  for (const time of times) {
    const at = Math.floor((time - start) / lengthMs)
    counts[at] = (counts[at] ?? 0) + 1
  }
  return counts.map((value, at) => ({ at: new Date(start + at * lengthMs).toISOString(), value }))
}
