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
type BarChartProps = {
  readonly bars: readonly Bar[]
  readonly label: string
  say(value: number): string
  /** As wide as the page rather than half of it; letters keep their size. */
  readonly isWide?: true
}

const chart = { height: 120, left: 6, bottom: 18, top: 14 }

export function BarChart({ bars, label, say, isWide }: BarChartProps) {
  const width = isWide ? 1100 : 600
  const most = Math.max(1, ...bars.map(({ value }) => value))
  const inner = chart.height - chart.bottom - chart.top
  const step = (width - chart.left * 2) / Math.max(1, bars.length)
  const [first, last] = [bars[0], bars.at(-1)]
  return (
    <svg className="bar-chart" viewBox={`0 0 ${width} ${chart.height}`} role="img" aria-label={label}>
      <title>{label}</title>
      <line className="grid" x1={chart.left} x2={width - chart.left} y1={chart.top} y2={chart.top} />
      <text className="scale" x={chart.left} y={chart.top - 4}>
        {say(most)}
      </text>
      {bars.map(({ at, value, tone }, index) => {
        const wide = Math.max(0.8, Math.min(step * 0.8, 28))
        const tall = Math.max(value > 0 ? 1.5 : 0, (value / most) * inner)
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place; two may begin at the same time.
            key={index}
            className={tone}
            x={chart.left + index * step + (step - wide) / 2}
            width={wide}
            y={chart.top + inner - tall}
            height={tall}
            rx={Math.min(2, step * 0.2)}
          >
            <title>{`${timeOf(at)}: ${say(value)}`}</title>
          </rect>
        )
      })}
      <line className="axis" x1={chart.left} x2={width - chart.left} y1={chart.top + inner} y2={chart.top + inner} />
      {first && (
        <text x={chart.left} y={chart.height - 4}>
          {timeOf(first.at)}
        </text>
      )}
      {last && bars.length > 1 && (
        <text x={width - chart.left} y={chart.height - 4} textAnchor="end">
          {timeOf(last.at)}
        </text>
      )}
    </svg>
  )
}
