/** Alerts and dashboard, held against the service: every query parses, and asks for metrics and labels that there are. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parser } from '@prometheus-io/lezer-promql'
import { parse } from 'yaml'
import { makeMetrics } from '../src/base/index.ts'
import { operations } from '../src/contract/index.ts'
import { startHouse } from './house.ts'
import { anchorsIn } from './links.ts'
import { paper } from './paper.ts'

type Alert = {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string; runbook_url: string }
}
type Panel = {
  id: number
  type: string
  title: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { expr: string; legendFormat: string }[]
}

const alerts: Alert[] = parse(paper('deploy/prometheus/spillway.rules.yml')).groups.flatMap(
  ({ rules }: { rules: Alert[] }) => rules,
)
const dashboard = JSON.parse(paper('deploy/grafana/spillway.json'))
const panels: Panel[] = dashboard.panels
// What Grafana fills in.
const filled = (expr: string) => expr.replaceAll('$__rate_interval', '1m').replaceAll(/\$\w+/g, '.*')
const queries = [
  ...alerts.map(({ alert, expr }) => ({ of: alert, expr })),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ of: title, expr: filled(expr) }))),
]

/** The metrics of a query with the labels they are matched and grouped by, or where it does not parse. */
function asked(expr: string) {
  const metrics: string[] = []
  const labels: string[] = []
  const matchers: { label: string; is: string; value: string }[] = []
  parser.parse(expr).iterate({
    enter({ name, from, to, node, type }) {
      const text = expr.slice(from, to)
      if (type.isError) assert.fail(`no PromQL at ${from}: ${expr}`)
      if (name === 'Identifier' && node.parent?.name === 'VectorSelector') metrics.push(text)
      if (name === 'LabelName') labels.push(text)
      if (name === 'UnquotedLabelMatcher') {
        const [, label = '', is = '', value = ''] = /^(\w+)\s*(=~|!~|!=|=)\s*"(.*)"$/.exec(text) ?? []
        matchers.push({ label, is, value })
      }
    },
  })
  return { metrics, labels, matchers }
}

/** Prometheus itself adds these to whatever it scrapes. */
const ofPrometheus = ['instance', 'job']

test('every query asks for metrics that a running service tells, by labels they have', async () => {
  const house = await startHouse()
  const scraped = await (await fetch(`${house.service.url}/metrics`)).text()
  await house.stop()
  const told = new Map<string, string[]>([['up', []]])
  const declared = makeMetrics().registry.getMetricsAsArray() as unknown as { name: string; labelNames: string[] }[]
  const labelsOf = new Map(declared.map(({ name, labelNames }) => [name, labelNames]))
  for (const [, name = '', type] of scraped.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
    const labels = labelsOf.get(name) ?? []
    told.set(name, labels)
    if (type === 'histogram')
      for (const part of ['bucket', 'sum', 'count']) told.set(`${name}_${part}`, [...labels, 'le'])
  }
  for (const { of, expr } of queries) {
    const { metrics, labels } = asked(expr)
    assert.ok(metrics.length > 0, of)
    const has = new Set([...ofPrometheus, ...metrics.flatMap((name) => told.get(name) ?? [])])
    assert.deepEqual(
      metrics.filter((name) => !told.has(name)),
      [],
      of,
    )
    assert.deepEqual(
      labels.filter((label) => !has.has(label)),
      [],
      of,
    )
  }
})

test('a label is matched with values that it can have', () => {
  const values: Record<string, readonly string[]> = {
    operation: [...operations.map(({ id }) => id), 'none'],
    outcome: ['delivered', 'retry', 'refused', 'written', 'dropped', 'accepted', 'rejected'],
    status: ['200', '404', '500'],
  }
  let looked = 0
  for (const { of, expr } of queries) {
    for (const { label, is, value } of asked(expr).matchers) {
      const known = values[label]
      if (!known) continue
      looked += 1
      for (const word of is.endsWith('~') ? value.split('|') : [value])
        assert.ok(
          known.some((one) => new RegExp(`^(?:${word})$`).test(one)),
          `${of}: ${label} is never ${word}`,
        )
    }
  }
  assert.ok(looked > 5)
})

test('a query that is wrong is found out', () => {
  assert.throws(() => asked('sum by (kind) (rate(spillway_deliveries_total[5m])'))
  assert.throws(() => asked('rate(spillway_deliveries_total[5 minutes])'))
  assert.deepEqual(asked('sum by (colour) (spillway_nothing{shape="round"})').metrics, ['spillway_nothing'])
  assert.deepEqual(asked('sum by (colour) (spillway_nothing{shape="round"})').labels, ['colour', 'shape'])
})

test('every alert has a name of its own, a severity, a summary and a runbook, and every runbook an alert', () => {
  const names = alerts.map(({ alert }) => alert)
  assert.deepEqual(names, [...new Set(names)])
  const page = 'docs/operate/runbooks.md'
  const anchors = anchorsIn(paper(page))
  for (const { alert, expr, labels, annotations } of alerts) {
    assert.ok(['page', 'ticket'].includes(labels.severity), alert)
    assert.ok(annotations.summary, alert)
    for (const [, name = ''] of annotations.summary.matchAll(/\| (\w+)/g))
      assert.match(name, /^humanize(1024|Duration|Percentage)?$/)
    const shown = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label)
    const kept = [
      ...ofPrometheus,
      ...[...expr.matchAll(/by \(([^)]+)\)/g)].flatMap(([, list = '']) => list.split(', ')),
    ]
    assert.deepEqual(
      shown.filter((label) => !kept.includes(label)),
      [],
      alert,
    )
    assert.equal(annotations.runbook_url, `${page}#${alert.toLowerCase()}`)
    assert.ok(anchors.has(alert.toLowerCase()), `${alert} has no runbook`)
  }
  const described = [...paper(page).matchAll(/^## (Spillway\w+)$/gm)].map(([, name]) => name)
  assert.deepEqual(described, names)
})

test('the panels of the dashboard lie beside each other, are titled and use the chosen source', () => {
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
  const cells = new Map<string, string>()
  for (const { title, type, gridPos, targets } of panels) {
    assert.ok(title && gridPos.x + gridPos.w <= 24, title)
    assert.equal(targets === undefined, type === 'row', title)
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        assert.equal(cells.get(`${x} ${y}`), undefined, `${title} lies on ${cells.get(`${x} ${y}`)}`)
        cells.set(`${x} ${y}`, title)
      }
  }
  const variables = dashboard.templating.list.map(({ name }: { name: string }) => name)
  for (const [, name] of JSON.stringify(panels).matchAll(/\$\{?(?!__)(\w+)/g)) assert.ok(variables.includes(name), name)
})
