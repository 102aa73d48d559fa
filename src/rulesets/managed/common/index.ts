/** Spillway Common Protection: the starter set of managed rules, theme by theme. */
import { createHash } from 'node:crypto'
import { files } from './files.ts'
import type { ManagedRule } from './managed-rule.ts'
import { products } from './products.ts'
import { protocol } from './protocol.ts'
import { rce } from './rce.ts'
import { scanner } from './scanner.ts'
import { sqli } from './sqli.ts'
import { ssrf } from './ssrf.ts'
import { xss } from './xss.ts'

export type { ManagedRule, Sample } from './managed-rule.ts'

export const commonRules: readonly ManagedRule[] = [
  ...protocol,
  ...scanner,
  ...sqli,
  ...xss,
  ...files,
  ...rce,
  ...ssrf,
  ...products,
]

/** Ids made from names are the same in every installation, so that overrides can be copied from one to the next. */
export const idOf = (name: string): string => createHash('sha256').update(`spillway/${name}`).digest('hex').slice(0, 32)

const scoreThreshold = 10

/** The set as `spillway managed import` reads it. */
export const commonProtection = {
  id: idOf('common-protection'),
  name: 'Spillway Common Protection',
  description: 'Widespread attacks on web applications, in our own words. Scoring rules add up; the last rule acts.',
  phase: 'http_request_firewall_managed',
  rules: [
    ...commonRules.map(({ ref, says, tags, does, off, expression }) => ({
      id: idOf(`common-protection/${ref}`),
      ref,
      description: says,
      categories: tags,
      expression,
      enabled: off !== true,
      ...(typeof does === 'string'
        ? { action: does }
        : { action: 'score', action_parameters: { increment: does.score } }),
    })),
    {
      id: idOf('common-protection/score-threshold'),
      ref: 'score-threshold',
      description: 'Acts when the points of the rules above reach the threshold',
      categories: ['score'],
      expression: 'true',
      enabled: true,
      action: 'block',
      score_threshold: scoreThreshold,
    },
  ],
}
