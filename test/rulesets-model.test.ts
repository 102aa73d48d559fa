/** Random sequences of edits against a plain array, on both databases: what is stored is what the array says. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { makeFirstTenant, theService } from '../src/access/index.ts'
import { Problem, type Scope, systemClock } from '../src/base/index.ts'
import * as rulesets from '../src/rulesets/index.ts'
import { type Fresh, onEachDatabase } from './databases.ts'

type Version = { number: number; rules: { words: string; id: string; version: number }[] }
type Model = { last: number; versions: Version[] }

type Step =
  | { do: 'add'; words: string; index: number | undefined }
  | { do: 'patch'; pick: number; words: string | undefined; index: number | undefined }
  | { do: 'delete'; pick: number }
  | { do: 'put'; keep: number[]; fresh: string[]; by: 'id' | 'ref' }
  | { do: 'describe' }
  | { do: 'forget'; pick: number }

const words = fc.constantFrom('a', 'b', 'c')
const place = fc.option(fc.integer({ min: 0, max: 7 }), { nil: undefined })
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('add' as const), words, index: place }),
  fc.record({
    do: fc.constant('patch' as const),
    pick: fc.nat(9),
    words: fc.option(words, { nil: undefined }),
    index: place,
  }),
  fc.record({ do: fc.constant('delete' as const), pick: fc.nat(9) }),
  fc.record({
    do: fc.constant('put' as const),
    keep: fc.array(fc.nat(9), { maxLength: 4 }),
    fresh: fc.array(words, { maxLength: 2 }),
    by: fc.constantFrom('id' as const, 'ref' as const),
  }),
  fc.record({ do: fc.constant('describe' as const) }),
  fc.record({ do: fc.constant('forget' as const), pick: fc.nat(9) }),
)

const rule = (words: string) => ({ action: 'log', expression: 'true', description: words })

async function tenant(fresh: () => Promise<Fresh>) {
  const { database } = await fresh()
  const needs = { db: database.db, now: systemClock }
  const made = await makeFirstTenant(needs, async () => undefined)
  assert.ok(made)
  return { needs, account: { kind: 'account', id: made.account_id, account: made.account_id } satisfies Scope }
}

onEachDatabase((fresh) => {
  test('writers at the same time are all applied, and first deployments make one entry point', async () => {
    const { needs, account } = await tenant(fresh)
    const phase = 'http_request_firewall_managed'
    const deployed = await Promise.all(
      Array.from({ length: 5 }, () => rulesets.put(needs, theService, account, { phase }, { rules: [rule('a')] })),
    )
    assert.equal(new Set(deployed.map((one) => one?.id)).size, 1)
    const crowd = Array.from({ length: 15 }, (_, number) => String(number))
    await Promise.all(crowd.map((words) => rulesets.addRule(needs, theService, account, { phase }, rule(words))))
    const { rules, version } = await rulesets.view(needs, account, { phase })
    assert.equal(version, '20')
    assert.deepEqual(new Set(rules.map(({ description }) => description)), new Set(['a', ...crowd]))
  })

  test('executing a ruleset and deleting it at the same moment ends one way or the other', async () => {
    const { needs, account } = await tenant(fresh)
    const phase = 'http_request_firewall_custom'
    for (let round = 0; round < 10; round++) {
      const made = await rulesets.create(needs, theService, account, { name: 'x', kind: 'custom', phase })
      assert.ok(made)
      const execute = { action: 'execute', action_parameters: { id: made.id }, expression: 'true' }
      const [deployed, deleted] = await Promise.all([
        done(rulesets.put(needs, theService, account, { phase }, { rules: [execute] })),
        done(rulesets.remove(needs, theService, account, { id: made.id })),
      ])
      assert.notEqual(deployed, deleted)
      await rulesets.put(needs, theService, account, { phase }, { rules: [] })
    }
  })

  test('versions deleted at the same moment leave one that can be read', async () => {
    const { needs, account } = await tenant(fresh)
    const phase = 'http_request_firewall_managed'
    for (let round = 0; round < 10; round++) {
      for (let more = 0; more < 3; more++)
        await rulesets.put(needs, theService, account, { phase }, { rules: [rule('a')] })
      const all = await rulesets.versions(needs, account, { phase })
      const { id } = await rulesets.view(needs, account, { phase })
      await Promise.all(
        all.map(({ version }) => done(rulesets.removeVersion(needs, theService, account, { id }, version))),
      )
      assert.equal((await rulesets.versions(needs, account, { phase })).length, 1)
      assert.ok((await rulesets.view(needs, account, { phase })).rules)
    }
  })

  test('any sequence of edits leaves the versions that a plain array would have', async () => {
    const { needs, account: scope } = await tenant(fresh)
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const body = { name: 'model', kind: 'custom', phase: 'http_request_firewall_custom' }
        const made = await rulesets.create(needs, theService, scope, body)
        assert.ok(made)
        const model: Model = { last: 1, versions: [{ number: 1, rules: [] }] }
        for (const one of steps) await apply(needs, scope, { id: made.id }, model, one)
        await compare(needs, scope, { id: made.id }, model)
        await rulesets.remove(needs, theService, scope, { id: made.id })
      }),
      { numRuns: 40 },
    )
  })
})

/** Whether the command was done; a refusal must be one of ours. */
async function done(work: Promise<unknown>): Promise<boolean> {
  try {
    await work
    return true
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}

async function apply(needs: rulesets.RulesetNeeds, scope: Scope, address: { id: string }, model: Model, step: Step) {
  const current = model.versions.at(-1)!.rules
  const next = (rules: Version['rules']) => model.versions.push({ number: ++model.last, rules })
  const picked = 'pick' in step && current.length > 0 ? current[step.pick % current.length] : undefined
  switch (step.do) {
    case 'add': {
      const isFine = step.index === undefined || (step.index >= 1 && step.index <= current.length + 1)
      const position = step.index === undefined ? {} : { position: { index: step.index } }
      const body = { ...rule(step.words), ...position }
      assert.equal(await done(rulesets.addRule(needs, theService, scope, address, body)), isFine)
      if (!isFine) return
      const at = (step.index ?? current.length + 1) - 1
      const { rules } = await rulesets.view(needs, scope, address)
      next(current.toSpliced(at, 0, { words: step.words, id: rules[at]!.id, version: 1 }))
      return
    }
    case 'patch': {
      if (!picked || (step.words === undefined && step.index === undefined)) return
      const isFine = step.index === undefined || (step.index >= 1 && step.index <= current.length)
      const position = step.index === undefined ? {} : { position: { index: step.index } }
      const body = { ...(step.words === undefined ? {} : rule(step.words)), ...position }
      assert.equal(await done(rulesets.patchRule(needs, theService, scope, address, picked.id, body)), isFine)
      if (!isFine) return
      const isNew = step.words !== undefined && step.words !== picked.words
      const changed = { ...picked, words: step.words ?? picked.words, version: picked.version + (isNew ? 1 : 0) }
      const at = current.indexOf(picked)
      next(current.toSpliced(at, 1).toSpliced(step.index === undefined ? at : step.index - 1, 0, changed))
      return
    }
    case 'delete': {
      if (!picked) return
      await rulesets.deleteRule(needs, theService, scope, address, picked.id)
      next(current.filter((one) => one !== picked))
      return
    }
    case 'put': {
      const keep = [...new Set(step.keep.flatMap((pick) => current[pick % current.length] ?? []))]
      const sent = keep.map(({ id, words }) => (step.by === 'id' ? { id } : { ref: id, ...rule(words) }))
      await rulesets.put(needs, theService, scope, address, { rules: [...sent, ...step.fresh.map(rule)] })
      const { rules } = await rulesets.view(needs, scope, address)
      const born = step.fresh.map((words, at) => ({ words, id: rules[keep.length + at]!.id, version: 1 }))
      next([...keep, ...born])
      return
    }
    case 'describe':
      await rulesets.put(needs, theService, scope, address, { description: String(model.last) })
      next(current)
      return
    case 'forget': {
      const victim = model.versions[step.pick % model.versions.length]!
      const isFine = model.versions.length > 1
      const work = rulesets.removeVersion(needs, theService, scope, address, String(victim.number))
      assert.equal(await done(work), isFine)
      if (isFine) model.versions.splice(model.versions.indexOf(victim), 1)
    }
  }
}

async function compare(needs: rulesets.RulesetNeeds, scope: Scope, address: { id: string }, model: Model) {
  const listed = await rulesets.versions(needs, scope, address)
  assert.deepEqual(
    listed.map(({ version }) => version),
    model.versions.map(({ number }) => String(number)),
  )
  for (const version of [...model.versions, model.versions.at(-1)!]) {
    const { rules } = await rulesets.version(needs, scope, address, String(version.number))
    assert.deepEqual(
      rules.map((one) => ({ words: one.description, id: one.id, version: Number(one.version) })),
      version.rules,
    )
  }
  const { version } = await rulesets.view(needs, scope, address)
  assert.equal(version, String(model.versions.at(-1)!.number))
}
