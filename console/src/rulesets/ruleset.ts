/** A ruleset as the console works on it: found by id or by phase, read, written, and told apart from its older versions. */
import { type Client, rulesets, type ScopeRef } from '../../../src/contract/index.ts'

export type RulesetView = rulesets.RulesetView
export type RuleView = rulesets.RuleView
export type Address = { readonly id: string } | { readonly phase: string }
export type RuleBody = Readonly<Record<string, unknown>>

/** The operations that exist in two forms, by id and by phase, as one. */
export function openRuleset(client: Client, scope: ScopeRef, address: Address) {
  const byId = 'id' in address ? { scope, params: { ruleset_id: address.id } } : undefined
  const byPhase = 'phase' in address ? { scope, params: { phase: address.phase } } : undefined
  const needed = <T>(value: T | undefined): T => value as T
  return {
    view: (signal: AbortSignal): Promise<RulesetView> =>
      byId
        ? client.call(rulesets.viewRuleset, { ...byId, signal })
        : client.call(rulesets.viewEntryPoint, { ...needed(byPhase), signal }),
    versions: (signal: AbortSignal) =>
      byId
        ? client.call(rulesets.listVersions, { ...byId, signal })
        : client.call(rulesets.listEntryPointVersions, { ...needed(byPhase), signal }),
    version: (version: string, signal: AbortSignal): Promise<RulesetView> =>
      byId
        ? client.call(rulesets.viewVersion, { scope, params: { ...byId.params, version }, signal })
        : client.call(rulesets.viewEntryPointVersion, {
            scope,
            params: { ...needed(byPhase).params, version },
            signal,
          }),
    /** Refused when the ruleset is no longer at the version that was read. */
    put: (rules: readonly RuleBody[], readVersion: string | undefined): Promise<RulesetView | null> => {
      const headers = readVersion === undefined ? {} : { 'if-match': `"${readVersion}"` }
      return byId
        ? client.call(rulesets.updateRuleset, { ...byId, body: { rules }, headers })
        : client.call(rulesets.updateEntryPoint, { ...needed(byPhase), body: { rules }, headers })
    },
    /** Judges one rule on its own; refused with reasons below `/rules/0`. */
    check: async (rule: RuleBody, signal: AbortSignal): Promise<void> => {
      const { id: _, ...body } = rule
      const call = { body: { rules: [body] }, query: { dry_run: true }, signal }
      await (byId
        ? client.call(rulesets.updateRuleset, { ...byId, ...call })
        : client.call(rulesets.updateEntryPoint, { ...needed(byPhase), ...call }))
    },
  }
}

/** What is sent to say that a rule is so; what the service keeps about it is left out. */
export function bodyOf(rule: RuleView): RuleBody {
  const { version: _version, last_updated: _updated, ...said } = rule
  return said
}

/** Rules of an old version: those that are deployed keep their ids, the others are known by their refs. */
export function withKnownIds(old: readonly RuleView[], deployed: readonly RuleView[]): RuleBody[] {
  const known = new Set(deployed.map(({ id }) => id))
  return old.map((rule) => {
    const { id, ...said } = bodyOf(rule)
    return known.has(rule.id) ? { id, ...said } : said
  })
}

export const actionTone = (action: string): 'bad' | 'warn' | 'accent' | 'calm' => {
  if (action === 'block') return 'bad'
  if (action.includes('challenge')) return 'warn'
  return action === 'execute' || action === 'skip' ? 'accent' : 'calm'
}

export const titleOf = (rule: { readonly description?: unknown; readonly action?: unknown }): string =>
  String(rule.description || `${rule.action ?? ''} rule`)
