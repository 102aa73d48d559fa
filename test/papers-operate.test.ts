/** The reckoning of docs/operate.md: what is derived from our measurements is derived from those that stand there. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { paper } from './paper.ts'

const page = paper('docs/operate.md')
const figures = new Map(
  [...page.matchAll(/^\| ([A-Z]) \| .+? \| ([\d.]+) \| `.+?`.* \|$/gm)].map(([, name = '', value]) => [
    name,
    Number(value),
  ]),
)
const sums = [...page.matchAll(/`([^`\n]+) = ([\d.]+)`/g)].map(([, sum = '', shown = '']) => ({ sum, shown }))

/** Plain arithmetic with the figures by their letters; nothing else is let through. */
function reckon(sum: string): number {
  const spelled = sum.replaceAll(/\b[A-Z]\b/g, (name) => String(figures.get(name)))
  assert.match(spelled, /^[\d.e\s*/+()-]+$/, sum)
  return Number(new Function(`return ${spelled}`)())
}

test('every sum comes out as shown, from the figures of the table', () => {
  assert.ok(figures.size >= 6 && sums.length >= 15)
  for (const { sum, shown } of sums) {
    const places = shown.split('.')[1]?.length ?? 0
    // A sum made of rounded ones may be off by one in its last place.
    assert.ok(Math.abs(reckon(sum) - Number(shown)) <= 0.51 * 10 ** -places, `${sum} is ${reckon(sum)}, not ${shown}`)
  }
})

test('every figure is used, and a sum that is off is noticed', () => {
  const used = new Set(sums.flatMap(({ sum }) => sum.match(/\b[A-Z]\b/g) ?? []))
  assert.deepEqual([...figures.keys()].toSorted(), [...used].toSorted())
  assert.notEqual(Math.round(reckon('1000 / I')), 23)
})

test('the commands that measured them are benches that there are', () => {
  for (const [, name] of page.matchAll(/npm run bench (\w+)/g)) assert.ok(paper(`bench/${name}.bench.ts`), name)
})
