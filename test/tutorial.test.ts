/** The tutorial, typed in block by block on a desk of its own: what it shows is what is printed. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { nginxPath } from './nginx.ts'
import { type Block, blocksOf, commandsOf, freePorts, openDesk, paper, runPaper } from './paper.ts'
import { drift, type Json, jobDefaults, outputDefaults, providerOf } from './provider.ts'

const all = blocksOf(paper('docs/tutorial.md'))
const isForNginx = (block: Block) => block.heading === 'The rule at nginx'

test('the tutorial does what it says', { timeout: 175_000 }, async (t) => {
  if (!nginxPath) t.diagnostic('NO NGINX HERE: the section of the tutorial about it is not run')
  const blocks = all.filter((block) => nginxPath || !isForNginx(block))
  const stead = await freePorts([8787, 9000, 8081, 8082])
  // Windows of a second: nobody learns anything from waiting for the usual half minute.
  const desk = await openDesk({ stead, environment: { SPILLWAY_EXPORT_INTERVAL_SECONDS: '1' }, npx: 'warm' })
  try {
    await runPaper(t, desk, blocks)
    assert.deepEqual(desk.ran, blocks.flatMap(commandsOf))
    await t.test('Terraform makes of main.tf what it says, and finds nothing to change', () => apply(desk.directory))
  } finally {
    await desk.leave()
  }
})

/** Sends what the provider sends for the resources of main.tf; a second plan must find no drift. */
async function apply(directory: string): Promise<void> {
  const first = JSON.parse(readFileSync(join(directory, 'data/first-run.json'), 'utf8'))
  const service = { url: first.base_url.replace(/\/v4$/, '') }
  const { ask } = providerOf({ service, credential: first }, first.zone_id)
  const { cloudflare_logpush_job: job, cloudflare_ruleset: ruleset } = resourcesIn(
    readFileSync(join(directory, 'main.tf'), 'utf8'),
  )
  assert.ok(job && ruleset)
  const output = { ...outputDefaults, ...(job.output_options as Json) }
  const plannedJob: Json = { ...jobDefaults, kind: '', ...job, output_options: output }
  const made = await ask('POST', '/logpush/jobs', plannedJob)
  const { result: readAgain } = await ask('GET', `/logpush/jobs/${made.result.id}`)
  const namedOnce = Object.keys(output).filter(
    (name) =>
      JSON.stringify(output[name as keyof typeof output]) !== JSON.stringify((readAgain.output_options as Json)[name]),
  )
  assert.deepEqual([...drift({ ...plannedJob, output_options: null }, readAgain), ...namedOnce], [])
  const deployed = await ask('POST', '/rulesets', { description: '', ...ruleset })
  const { result } = await ask('GET', `/rulesets/${deployed.result.id}`)
  const [rule = {}] = ruleset.rules as Json[]
  assert.deepEqual(drift({ ...ruleset, rules: null }, result), [])
  assert.deepEqual(drift(rule, (result.rules as Json[])[0] ?? {}), [])
}

/** The resources of a file in the plain form of the tutorial: one attribute a line. The zone is said by the address. */
function resourcesIn(hcl: string): Partial<Record<string, Json>> {
  const found: Record<string, Json> = {}
  for (const [, kind = '', body = ''] of hcl.matchAll(/^resource "(\w+)" "\w+" \{\n(.*?)^\}/gms)) {
    const json = body
      .replaceAll(/^ *zone_id += var\.zone_id\n/gm, '')
      .replaceAll(/^( *)(\w+) *= /gm, '$1"$2": ')
      .replaceAll(/([^{[,\n])\n(?=\s*")/g, '$1,\n')
    found[kind] = JSON.parse(`{${json}}`)
  }
  return found
}
