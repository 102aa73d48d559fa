/**
 * A long fuzz of the rules language: random and mutated texts must neither throw nor hang, and what parses must print,
 * compile and run. `node scripts/fuzz-expression.ts [texts] [seed]`, a million texts by default.
 */
import { readFileSync } from 'node:fs'
import { compile, compileValue, fullScheme, judge, print, readValues } from '../src/expression/index.ts'

const texts = Number(process.argv[2] ?? 1_000_000)
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 31)
/** No text, however odd, may take longer: a slow one is a way to hurt the service. */
const mostMs = 250

const cases = JSON.parse(
  readFileSync(new URL('../src/expression/cases/rules-language.json', import.meta.url), 'utf8'),
) as readonly { expr: string; context: Record<string, unknown> }[]

// mulberry32: small, and the same texts for the same seed everywhere.
let state = seed
const random = (below: number): number => {
  state = (state + 0x6d2b79f5) | 0
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) % below
}
const one = <T>(items: readonly T[]): T => items[random(items.length)] as T

const pieces = [
  ...new Set(cases.flatMap(({ expr }) => expr.match(/[\w.]+|"[^"]*"|\s+|[^\w\s]/g) ?? [])),
  ...[
    '(?i)',
    '(?:',
    '[^',
    '[a-z]',
    '{2,9}',
    '{1000}',
    '\\d+',
    '.*',
    '|',
    '\\x41',
    '\\101',
    'r#"',
    '"#',
    '..',
    '/24',
    '\u0000',
    'é',
    '😢',
    '\ud800',
  ],
  ...[
    'regex_replace(',
    'wildcard_replace(',
    'split(',
    'lookup_json_string(',
    'cidr(',
    'bit_slice(',
    'coalesce(',
    'substring(',
  ],
]

const mutate = (text: string): string => {
  const at = random(text.length + 1)
  const to = Math.min(text.length, at + random(12))
  switch (random(6)) {
    case 0:
      return text.slice(0, at) + text.slice(to)
    case 1:
      return text.slice(0, at) + one(pieces) + text.slice(at)
    case 2:
      return text.slice(0, at) + String.fromCharCode(random(0x180)) + text.slice(at + 1)
    case 3:
      return text + text.slice(at, to).repeat(random(40))
    case 4:
      return text.slice(0, at) + one(cases).expr.slice(random(20))
    default:
      return `${text.slice(0, at)}${'(![{"\\'.charAt(random(6)).repeat(random(300))}${text.slice(at)}`
  }
}

const fresh = (): string => {
  if (random(3) === 0) return Array.from({ length: random(15) }, () => one(pieces)).join('')
  let text = one(cases).expr
  for (let round = random(4); round > 0; round--) text = mutate(text)
  return text.slice(0, 5000)
}

const requests = cases.flatMap(({ context }) => {
  const { $lists: _, ...record } = context as Record<string, unknown>
  const values = readValues(record)
  return values.ok ? [values.value] : []
})

const counts = { parsed: 0, refused: 0, slowestMs: 0 }
const tryOut = (text: string, want: 'bool' | 'any'): void => {
  const judged = judge(text, fullScheme, want)
  if (!judged.ok) {
    counts.refused++
    return
  }
  counts.parsed++
  const printed = print(judged.value.root)
  const again = judge(printed, fullScheme, want, {
    length: 1e6,
    nesting: 200,
    setSize: 1e5,
    regexes: 1e4,
    regexBytes: 1e8,
    wildcardStars: 1e4,
  })
  if (!again.ok) throw new Error(`what was printed does not parse: ${printed}\n${again.reasons[0].message}`)
  if (print(again.value.root) !== printed) throw new Error(`printing twice differs: ${printed}`)
  const run = want === 'bool' ? compile(judged.value) : compileValue(judged.value)
  for (let round = 0; round < 3; round++) run(one(requests))
}

console.log(`fuzzing ${texts} texts with seed ${seed}`)
for (let round = 0; round < texts; round++) {
  const text = fresh()
  const want = random(8) === 0 ? 'any' : 'bool'
  const timed = (): number => {
    const began = performance.now()
    tryOut(text, want)
    return performance.now() - began
  }
  try {
    let took = timed()
    // A busy machine stalls now and then: what is slow must be slow every time.
    for (let again = 0; again < 3 && took > mostMs; again++) took = Math.min(took, timed())
    if (took > counts.slowestMs) counts.slowestMs = took
    if (took > mostMs) throw new Error(`it took ${took.toFixed(0)} ms`)
  } catch (error) {
    console.error(`text number ${round} of seed ${seed}: ${JSON.stringify(text)}`)
    throw error
  }
}
console.log(
  `${counts.parsed} parsed, ${counts.refused} refused, none threw; the slowest took ${counts.slowestMs.toFixed(1)} ms`,
)
