/** The console's icons: strokes on a 20 × 20 grid, always beside a word or a label. */
const shapes = {
  jobs: 'M3 6h9m0 0-3-3m3 3-3 3M17 14H8m0 0 3-3m-3 3 3 3',
  logs: 'M4 5h12M4 10h12M4 15h7',
  rules: 'M4 4h12v4H4zM4 12h7M4 16h9M14.5 11.5l1.6 1.6 2.4-3',
  trace: 'M4 4v5a3 3 0 0 0 3 3h6m0 0-3-3m3 3-3 3M16 16v.01',
  lists: 'M7 5h10M7 10h10M7 15h10M3.5 5v.01M3.5 10v.01M3.5 15v.01',
  edge: 'M10 2.5 4 5v5c0 3.5 2.5 6 6 7.5 3.5-1.5 6-4 6-7.5V5zM7.5 10l2 2 3.5-4',
  places: 'M3 17V8l7-5 7 5v9zM8 17v-5h4v5',
  audit: 'M5 3h7l3 3v11H5zM8 9h5M8 12h5',
  people: 'M8 9a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM3 17c0-3 2-5 5-5s5 2 5 5M13 4a3 3 0 0 1 0 5M15 12c2 1 2.5 3 2.5 5',
  system: 'M3 5h14v8H3zM7 17h6M10 13v4',
  sun: 'M10 6a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM10 1.5v2M10 16.5v2M1.5 10h2M16.5 10h2M4 4l1.4 1.4M14.6 14.6 16 16M16 4l-1.4 1.4M5.4 14.6 4 16',
  moon: 'M16 12.5A7 7 0 0 1 7.5 4a6.5 6.5 0 1 0 8.5 8.5z',
  halves: 'M10 3a7 7 0 1 0 0 14zM10 3a7 7 0 0 1 0 14',
  plus: 'M10 4v12M4 10h12',
  up: 'M10 16V4m0 0L5 9m5-5 5 5',
  down: 'M10 4v12m0 0 5-5m-5 5-5-5',
  grip: 'M7 5v.01M13 5v.01M7 10v.01M13 10v.01M7 15v.01M13 15v.01',
  right: 'M8 5l5 5-5 5',
  close: 'M5 5l10 10M15 5 5 15',
  out: 'M8 4H4v12h4M9 10h8m0 0-3-3m3 3-3 3',
  copy: 'M7 7h9v9H7zM4 13V4h9',
  menu: 'M3 5h14M3 10h14M3 15h14',
} as const

export type IconName = keyof typeof shapes

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={shapes[name]} />
    </svg>
  )
}
