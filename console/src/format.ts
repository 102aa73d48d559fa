/** How numbers, sizes and times are written for people. */
const plain = new Intl.NumberFormat('en')
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

export const count = (value: number): string => (value < 100_000 ? plain.format(value) : compact.format(value))
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`

const sizes = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

export function bytes(value: number): string {
  const step = Math.min(sizes.length - 1, value < 1 ? 0 : Math.floor(Math.log10(value) / 3))
  const scaled = value / 1000 ** step
  return `${scaled < 10 && step > 0 ? scaled.toFixed(1) : Math.round(scaled)} ${sizes[step]}`
}

const steps = [
  { name: 'd', seconds: 86_400 },
  { name: 'h', seconds: 3600 },
  { name: 'min', seconds: 60 },
  { name: 's', seconds: 1 },
]

/** The largest unit, and the one below it where that helps: `2 min`, `3 h 20 min`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const at = steps.findIndex((step) => whole >= step.seconds)
  const [large, small] = [steps[at], steps[at + 1]]
  if (!large) return '0 s'
  const rest = small && large.seconds > 60 ? Math.floor((whole % large.seconds) / small.seconds) : 0
  return `${Math.floor(whole / large.seconds)} ${large.name}${small && rest > 0 ? ` ${rest} ${small.name}` : ''}`
}

export const ago = (moment: string, now = Date.now()): string => {
  const seconds = (now - Date.parse(moment)) / 1000
  return seconds < 2 ? 'just now' : `${duration(seconds)} ago`
}

/** Local date and time to the second, in one spelling everywhere. */
export function when(moment: string): string {
  const date = new Date(moment)
  if (Number.isNaN(date.getTime())) return moment
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${timeOf(date)}`
}

export function timeOf(moment: string | Date): string {
  const date = new Date(moment)
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':')
}

/** What a `datetime-local` input holds for a moment; local time, to the second. */
export const toLocalInput = (date: Date): string => when(date.toISOString()).replace(' ', 'T')
