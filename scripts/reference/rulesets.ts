/** The reference pages of phases and actions, made from their registries. */
import { actions, phases } from '../../src/rulesets/index.ts'

const kindWords = {
  root: 'account entry point',
  zone: 'zone entry point',
  custom: 'custom ruleset',
  managed: 'managed ruleset',
} as const
const kindsOf = Object.keys(kindWords) as (keyof typeof kindWords)[]

type AnyPhase = (typeof phases)[number]

const code = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(', ')
const actionsIn = (phase: AnyPhase, kind: keyof typeof kindWords): readonly string[] =>
  (phase.actions as Partial<Record<string, readonly string[]>>)[kind] ?? []

export function phasesReference(): string {
  return `# Phases

A request passes the phases in this order. In each, the entry point of the account runs before the entry point of the zone. Network
phases see packets, request phases see requests, response phases also see the answer of the origin.

| | Phase | Stage | Scope | Rules at most |
|---|---|---|---|---|
${phases.map((phase, index) => `| ${index + 1} | [\`${phase.name}\`](#${phase.name}) | ${phase.stage} | ${phase.scopes.join(', ')} | ${phase.maxRules} |`).join('\n')}

${phases.map(describePhase).join('\n')}`
}

function describePhase(phase: AnyPhase): string {
  const rows = kindsOf
    .filter((kind) => actionsIn(phase, kind).length > 0)
    .map((kind) => `| ${kindWords[kind]} | ${code(actionsIn(phase, kind))} |`)
  const skips = 'maySkip' in phase && phase.maySkip ? `\nA skip rule may switch off ${code(phase.maySkip)}.\n` : ''
  return `## ${phase.name}

${phase.title}. ${phase.says}

| Where | Actions |
|---|---|
${rows.join('\n')}
${skips}`
}

export function actionsReference(): string {
  return `# Actions

What a rule does to a request that its expression matches. A terminating action ends the request; after any other, the next rule is
looked at. Where several rules set the same thing, the last one wins.

${actions.map(describeAction).join('\n')}`
}

function describeAction(action: (typeof actions)[number]): string {
  const places = phases
    .filter((phase) => kindsOf.some((kind) => actionsIn(phase, kind).includes(action.name)))
    .map((phase) => phase.name)
  const shown = action.examples.filter((example) => Object.keys(example).length > 0)
  const examples = shown.map(
    (example) =>
      `\`\`\`json\n${JSON.stringify({ action: action.name, action_parameters: example }, null, 2)}\n\`\`\`\n`,
  )
  return `## ${action.name}

${action.says} ${action.terminating ? 'Terminating.' : 'Not terminating.'}

In ${code(places)}.
${examples.length === 0 ? '' : `\n${examples.join('\n')}`}`
}
