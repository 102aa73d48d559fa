/**
 * compose.yaml and the Helm chart. No container engine and no Kubernetes is at hand: the files are parsed and held
 * against the code; where there is a helm, the chart is linted and templated too. `scripts/interop-tools.ts` gets one.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { parse, parseAllDocuments } from 'yaml'
import { readConfig, settings } from '../src/config.ts'
import { programPath, wants } from './proxies.ts'

const root = join(import.meta.dirname, '..')
const read = (name: string) => readFileSync(join(root, name), 'utf8')
const known = new Set<string>(Object.values(settings).map(({ name }) => name))
const run = promisify(execFile)

const chart = 'deploy/helm/spillway'
const templates = Object.fromEntries(
  readdirSync(join(root, chart, 'templates')).map((name) => [name, read(`${chart}/templates/${name}`)]),
)

test('compose sets only what is a setting, and its processes have every role between them', () => {
  const { services } = parse(read('deploy/compose.yaml'), { merge: true }) as {
    services: Record<string, { environment?: Record<string, string>; image: string }>
  }
  const ours = Object.values(services).filter(({ image }) => image === 'spillway')
  const roles = ours.flatMap(({ environment = {} }) => {
    const filled = Object.fromEntries(
      Object.entries(environment).map(([name, value]) => [
        name,
        name === 'SPILLWAY_SECRET_KEY' ? Buffer.alloc(32).toString('base64') : value.replaceAll(/\$\{(\w+):\?\}/g, 'x'),
      ]),
    )
    const config = readConfig(filled)
    assert.ok(config.ok, JSON.stringify(config))
    assert.ok(config.value.databaseUrl && config.value.clickhouseUrl)
    return config.value.roles
  })
  assert.deepEqual(roles.sort(), ['api', 'export', 'ingest'])
})

test('the chart names the version of the package and a section for each role', () => {
  assert.equal(parse(read(`${chart}/Chart.yaml`)).appVersion, JSON.parse(read('package.json')).version)
  assert.deepEqual(Object.keys(parse(read(`${chart}/values.yaml`)).roles), ['api', 'ingest', 'export'])
})

test('templates use values that exist and settings that exist, and close what they open', () => {
  const values = parse(read(`${chart}/values.yaml`))
  for (const [name, text] of Object.entries(templates)) {
    for (const [, path = ''] of text.matchAll(/\.Values\.([\w.]+)/g)) {
      let at: unknown = values
      for (const step of path.split('.')) {
        assert.ok(typeof at === 'object' && at !== null && step in at, `${name}: .Values.${path}`)
        at = (at as Record<string, unknown>)[step]
      }
    }
    const count = (pattern: RegExp) => [...text.matchAll(pattern)].length
    assert.equal(count(/\{\{-? *(if|range|with|define)\b/g), count(/\{\{-? *end\b/g), name)
  }
  const everything = [...Object.values(templates), read(`${chart}/values.yaml`)].join('\n')
  for (const [name] of everything.matchAll(/SPILLWAY_[A-Z_]+/g))
    if (name !== 'SPILLWAY_API_PORT') assert.ok(known.has(name), name)
  // Kubernetes' own variables for a service called spillway would be refused as unknown settings.
  assert.match(templates['deployment.yaml'] ?? '', /enableServiceLinks: false/)
})

type Manifest = { kind: string; metadata: { name: string }; spec: Record<string, never> }

async function templated(...set: readonly string[]): Promise<Manifest[]> {
  const flags = set.flatMap((each) => ['--set', each])
  const { stdout } = await run(programPath('helm') ?? '', ['template', 'spillway', join(root, chart), ...flags])
  return parseAllDocuments(stdout).map((document) => {
    assert.deepEqual(document.errors, [])
    return document.toJS()
  })
}

const key = Buffer.alloc(32).toString('base64')
const secrets = [
  'secret.databaseUrl=postgres://user:pw@db/spillway',
  'secret.clickhouseUrl=https://user:pw@ch:8443/logs',
  `secret.secretKey=${key}`,
]

test(
  'helm finds nothing wrong, and each role starts with a configuration that the service takes',
  wants('helm'),
  async () => {
    await run(programPath('helm') ?? '', [
      'lint',
      '--strict',
      join(root, chart),
      ...secrets.flatMap((one) => ['--set', one]),
    ])
    const made = await templated(
      ...secrets,
      'settings.SPILLWAY_RATE_LIMIT=5000',
      'roles.api.settings.SPILLWAY_RATE_LIMIT=7000',
      'clickhouse.cluster=eu',
      'clickhouse.authority.secret.secretName=ca',
      'podMonitor.enabled=true',
    )
    assert.deepEqual(made.map(({ kind, metadata: { name } }) => `${kind} ${name}`).sort(), [
      'Deployment spillway-api',
      'Deployment spillway-export',
      'Deployment spillway-ingest',
      'PodDisruptionBudget spillway-api',
      'PodDisruptionBudget spillway-export',
      'PodDisruptionBudget spillway-ingest',
      'PodMonitor spillway',
      'Secret spillway',
      'Service spillway-api',
      'Service spillway-ingest',
      'ServiceAccount spillway',
    ])
    const secret = made.find(({ kind }) => kind === 'Secret') as unknown as { stringData: Record<string, string> }
    for (const role of ['api', 'ingest', 'export']) {
      const { spec } = made.find(
        ({ kind, metadata }) => kind === 'Deployment' && metadata.name.endsWith(role),
      ) as never as {
        spec: { template: { spec: { containers: { env: { name: string; value: string }[] }[] } } }
      }
      const [container] = spec.template.spec.containers
      const env = Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value]))
      const config = readConfig({ ...secret.stringData, ...env })
      assert.ok(config.ok, JSON.stringify(config))
      assert.deepEqual(config.value.roles, [role])
      assert.equal(config.value.rateLimit, role === 'api' ? 7000 : 5000)
      assert.deepEqual([config.value.clickhouseCluster, config.value.clickhouseCaFile], ['eu', '/clickhouse/ca.crt'])
    }
  },
)

test('helm refuses a release without secrets, and takes one with a secret of its own', wants('helm'), async () => {
  await assert.rejects(templated(), /secret.clickhouseUrl is required|secret.databaseUrl is required/)
  const made = await templated('existingSecret=mine', 'roles.ingest.enabled=false', 'roles.export.replicas=1')
  const names = made.map(({ kind, metadata: { name } }) => `${kind} ${name}`)
  assert.ok(!names.includes('Secret spillway') && !names.some((name) => name.includes('ingest')))
  assert.ok(!names.includes('PodDisruptionBudget spillway-export'))
})
