/** The rules as they are being edited: nothing is sent before a person deploys. */
import type { RuleBody, RuleView } from './ruleset.ts'
import { bodyOf } from './ruleset.ts'

export type RuleDraft = { readonly key: string; readonly said: RuleBody }
export type Draft = { readonly rules: readonly RuleDraft[]; readonly moved: string | undefined; readonly made: number }

export type Change =
  | { readonly kind: 'load'; readonly rules: readonly RuleBody[] }
  | { readonly kind: 'move'; readonly key: string; readonly to: number }
  | { readonly kind: 'set'; readonly key: string; readonly said: RuleBody }
  | { readonly kind: 'add'; readonly said: RuleBody }
  | { readonly kind: 'remove'; readonly key: string }

export const emptyDraft: Draft = { rules: [], moved: undefined, made: 0 }

export function changeDraft(draft: Draft, change: Change): Draft {
  const { rules, made } = draft
  switch (change.kind) {
    case 'load':
      return {
        rules: change.rules.map((said, at) => ({ key: String(said.id ?? `old-${made}-${at}`), said })),
        moved: undefined,
        made: made + 1,
      }
    case 'move': {
      const from = rules.findIndex(({ key }) => key === change.key)
      const to = Math.max(0, Math.min(rules.length - 1, change.to))
      const rule = rules[from]
      if (!rule || from === to) return draft
      return { ...draft, rules: rules.toSpliced(from, 1).toSpliced(to, 0, rule), moved: change.key }
    }
    case 'set':
      return { ...draft, rules: rules.map((rule) => (rule.key === change.key ? { ...rule, said: change.said } : rule)) }
    case 'add':
      return { ...draft, rules: [...rules, { key: `new-${made}`, said: change.said }], made: made + 1 }
    case 'remove':
      return { ...draft, rules: rules.filter(({ key }) => key !== change.key) }
  }
}

export const isChanged = (rules: readonly RuleDraft[], deployed: readonly RuleView[]): boolean =>
  JSON.stringify(rules.map(({ said }) => said)) !== JSON.stringify(deployed.map(bodyOf))
