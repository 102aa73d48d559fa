import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deploy } from '../deployment.ts'
import { evaluate } from '../evaluate.ts'
import { judgeRules } from '../judge.ts'
import { findPhase } from '../phases/index.ts'
import { makeCounters } from '../ratelimit.ts'
import { readRequest } from '../request.ts'
import type { Rule, Ruleset } from '../ruleset.ts'
import { commonProtection, commonRules, idOf, type Sample } from './common/index.ts'

const phase = findPhase('http_request_firewall_managed')!
const managed = {
  ...commonProtection,
  kind: 'managed' as const,
  version: '1',
  last_updated: '',
  rules: commonProtection.rules.map((rule) => ({ ...rule, version: '1', last_updated: '' }) as Rule),
}

function deployed(rules: readonly Rule[]) {
  const execute: Rule = {
    id: idOf('execute'),
    version: '1',
    ref: 'x',
    last_updated: '',
    description: '',
    enabled: true,
    expression: 'true',
    action: 'execute',
    action_parameters: { id: managed.id },
  }
  return deploy({
    account: [],
    zone: [{ ...managed, id: idOf('entry'), kind: 'zone', rules: [execute] } satisfies Ruleset],
    find: () => ({ ...managed, rules }),
    lists: () => undefined,
    redirectFrom: () => undefined,
  })
}

const asShipped = deployed(managed.rules)
/** Every rule switched on and none ending the request, so that each can be seen to match. */
const allOn = deployed(managed.rules.map((rule) => ({ ...rule, action: 'log', enabled: true })))

function decide(deployment: typeof allOn, sample: Sample) {
  const {
    url = '/',
    method = 'GET',
    headers = { 'user-agent': 'Mozilla/5.0' },
    body = '',
  } = typeof sample === 'string' ? { url: sample } : sample
  const request = readRequest({ method, url: `https://www.example.com${url}`, headers, body }, { at: 0n, id: 'r' })
  assert.ok(request.ok)
  return evaluate(deployment, request.value, { counters: makeCounters() })
}

test('the starter set is a valid managed ruleset with more than forty rules and the tags people look for', () => {
  const where = {
    phase,
    kind: 'managed' as const,
    scope: 'account' as const,
    lists: () => undefined,
    findRuleset: () => undefined,
  }
  assert.deepEqual(judgeRules(where, commonProtection.rules).ok, true)
  assert.ok(commonRules.length > 40)
  assert.equal(new Set(commonRules.map((rule) => rule.ref)).size, commonRules.length)
  const tags = new Set(commonRules.flatMap((rule) => rule.tags))
  for (const tag of ['sqli', 'xss', 'path-traversal', 'rce', 'scanner', 'log4j', 'wordpress'])
    assert.ok(tags.has(tag), tag)
})

for (const rule of commonRules) {
  test(`${rule.ref} matches its samples and leaves its neighbours alone`, () => {
    const isHit = (sample: Sample) => decide(allOn, sample).matches.some((match) => match.rule.ref === rule.ref)
    for (const sample of rule.matches) assert.equal(isHit(sample), true, JSON.stringify(sample))
    for (const sample of rule.passes) assert.equal(isHit(sample), false, JSON.stringify(sample))
  })
}

test('an ordinary request passes the whole set', () => {
  for (const sample of ['/', '/search?q=blue+shoes&page=2', '/assets/app.js?v=12'])
    assert.equal(decide(asShipped, sample).answer, undefined)
})

test('scores add up: one weak sign passes, two together are blocked', () => {
  const oneSign = decide(asShipped, '/p?x=document.cookie')
  assert.equal(oneSign.answer, undefined)
  const twoSigns = decide(asShipped, '/p?x=document.cookie&y=<iframe+src=//evil.example>')
  assert.equal(twoSigns.answer?.match.rule.ref, 'score-threshold')
  assert.equal(twoSigns.answer?.status, 403)
})
