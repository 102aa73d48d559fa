/** Charts drawn by hand: a sparkline for a row, bars over time for a page. Each says in words what it shows. */
import { timeOf } from '../format.ts'

type SparklineProps = { readonly values: readonly number[]; readonly label: string; readonly kind?: 'bars' | 'line' }

const width = 96
const height = 24

export function Sparkline({ values, label, kind = 'bars' }: SparklineProps) {
  const most = Math.max(1, ...values)
  const step = width / Math.max(values.length, 12)
  const y = (value: number) => height - 1 - (value / most) * (height - 3)
  return (
    <svg className={`sparkline ${kind}`} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      <title>{label}</title>
      {kind === 'line' && <polyline points={values.map((value, at) => `${(at + 0.5) * step},${y(value)}`).join(' ')} />}
      {kind === 'bars' &&
        values.map((value, at) => (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place.
            key={at}
            x={at * step}
            width={Math.max(1, step - 1.5)}
            y={y(value)}
            height={height - y(value)}
            rx={1}
          />
        ))}
    </svg>
  )
}

export type Bar = { readonly at: string; readonly value: number; readonly tone?: 'bad' }
type BarChartProps = { readonly bars: readonly Bar[]; readonly label: string; say(value: number): string }

/** Bars give way to the width there is; the words around them keep their size. */
export function BarChart({ bars, label, say }: BarChartProps) {
  const most = Math.max(1, ...bars.map(({ value }) => value))
  const [first, last] = [bars[0], bars.at(-1)]
  return (
    <figure className="bar-chart">
      <span>{say(most)}</span>
      <div className="bars" role="img" aria-label={label}>
        {bars.map(({ at, value, tone }, index) => (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place; two may begin at the same time.
            key={index}
            className={tone}
            title={`${timeOf(at)}: ${say(value)}`}
            style={{ height: `${(value / most) * 100}%` }}
          />
        ))}
      </div>
      <div className="row spread">
        <span>{first && timeOf(first.at)}</span>
        <span>{bars.length > 1 && last && timeOf(last.at)}</span>
      </div>
    </figure>
  )
}
