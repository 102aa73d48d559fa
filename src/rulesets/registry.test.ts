import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { actions, findAction } from './actions/index.ts'
import { judgeRules, type Where } from './judge.ts'
import { phases } from './phases/index.ts'
import { type Kind, kinds, type Ruleset } from './ruleset.ts'

const namesIn = async (folder: string, ...besides: string[]) =>
  (await readdir(join(import.meta.dirname, folder)))
    .filter((file) => !besides.includes(file))
    .map((file) => file.replace(/\.ts$/, ''))
    .sort()

test('every phase file is in the list of phases, and every action file in the list of actions', async () => {
  assert.deepEqual(await namesIn('phases', 'index.ts', 'phase.ts'), phases.map(({ name }) => name).toSorted())
  assert.deepEqual(await namesIn('actions', 'index.ts', 'action.ts'), actions.map(({ name }) => name).toSorted())
})

test('phases come stage by stage, and there are the 24 that clients know', () => {
  const stages = phases.map(({ stage }) => stage)
  assert.deepEqual(
    stages,
    stages.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)),
  )
  assert.equal(phases.length, 24)
})
const order = ['network', 'request', 'response']

test('every action is possible somewhere', () => {
  const used = new Set(phases.flatMap(({ actions }) => Object.values(actions).flat()))
  assert.deepEqual([...used].toSorted(), actions.map(({ name }) => name).toSorted())
})

const executable: Ruleset = {
  id: '0f0e0d0c0b0a09080706050403020100',
  name: 'target',
  description: '',
  kind: 'managed',
  phase: '',
  version: '1',
  last_updated: '',
  rules: [],
}

const where = (phase: (typeof phases)[number], kind: Kind): Where => ({
  phase,
  kind,
  scope: kind === 'zone' ? 'zone' : 'account',
  lists: () => undefined,
  findRuleset: () => ({ ...executable, phase: phase.name }),
})

const ratelimit = { characteristics: ['cf.colo.id', 'ip.src'], period: 60, requests_per_period: 10 }
const networkRatelimit = { characteristics: ['ip.src'], period: 60, requests_per_period: 10 }

function exampleRules(phase: string, action: string) {
  const counts = action !== 'execute' && action !== 'skip'
  const limit = phase === 'magic_transit_ratelimit' ? networkRatelimit : ratelimit
  return (findAction(action)?.examples ?? []).map((action_parameters) => ({
    action,
    action_parameters,
    expression: 'true',
    ...(counts && phase.endsWith('ratelimit') ? { ratelimit: limit } : {}),
  }))
}

for (const phase of phases) {
  test(`${phase.name} accepts an example of every action it allows and refuses the others by name`, () => {
    for (const kind of kinds) {
      const allowed: readonly string[] = (phase.actions as Partial<Record<Kind, readonly string[]>>)[kind] ?? []
      for (const { name } of actions) {
        const judged = exampleRules(phase.name, name).map((rule) => judgeRules(where(phase, kind), [rule]))
        if (allowed.includes(name)) {
          const why = judged.flatMap((one) => (one.ok ? [] : one.reasons.map(({ message }) => message)))
          assert.ok(
            judged.some((one) => one.ok),
            `${kind} ${name}: ${why.join('; ')}`,
          )
        } else {
          for (const one of judged) {
            assert.ok(!one.ok)
            const reason = one.reasons.find(({ code }) => code === 20016)
            assert.equal(
              reason?.message,
              `'${name}' is not a valid value for action because it is not possible to use the ${name} action in a ruleset with phase ${phase.name} and kind ${kind}`,
            )
            assert.equal(reason?.pointer, '/rules/0/action')
          }
        }
      }
    }
  })
}
