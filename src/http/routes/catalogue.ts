/** What there is to choose from, read from the registries of the shelves. */
import { problems } from '../../base/index.ts'
import { catalogue as contract } from '../../contract/index.ts'
import type { DatasetRegistry } from '../../datasets/index.ts'
import { documentedName, type LanguageFunction, schemeFor } from '../../expression/index.ts'
import { actions, findPhase, phases } from '../../rulesets/index.ts'
import type { Bind } from '../bind.ts'

type CatalogueNeeds = { readonly logs: { readonly datasets: DatasetRegistry } }

export function bindCatalogue(bind: Bind, { logs }: CatalogueNeeds): void {
  bind(contract.listDatasets, ({ scope }) =>
    logs.datasets.all
      .filter(({ name }) => logs.datasets.find(name, scope.kind))
      .map(({ name, timestampField, fields }) => ({ name, timestamp_field: timestampField, fields: fields.length })),
  )

  bind(contract.listPhases, ({ scope }) =>
    phases
      .filter((phase) => phase.scopes.includes(scope.kind))
      .map(({ name, title, says, stage, maxRules, actions }) => ({
        name,
        title,
        says,
        stage,
        max_rules: maxRules,
        actions: Object.fromEntries(Object.entries(actions).map(([kind, allowed]) => [kind, [...allowed]])),
        actions_of_entry_point: [...(actions[scope.kind === 'zone' ? 'zone' : 'root'] ?? [])],
      })),
  )

  bind(contract.viewLanguage, ({ scope, query }) => {
    const { fields, functions } = schemeFor({ ...placeOf(query.phase), scope: scope.kind })
    return {
      fields: [...fields.values()].map(({ name, type, says }) => ({ name, type: documentedName(type), says })),
      functions: [...functions.values()].map((one) => ({
        name: one.name,
        signature: signatureOf(one),
        says: one.says,
        example: one.examples[0]?.[0] ?? '',
      })),
      actions: actions
        .filter(({ name }) => query.phase === undefined || actionsIn(query.phase).has(name))
        .map(({ name, says, examples: [example] }) => ({ name, says, ...(example ? { example } : {}) })),
    }
  })
}

function placeOf(name: string | undefined): Pick<Parameters<typeof schemeFor>[0], 'phase' | 'stage'> {
  if (name === undefined) return {}
  const phase = findPhase(name)
  if (!phase) throw problems.unknownPhase(name)
  return { phase: phase.name, stage: phase.stage }
}

const actionsIn = (phase: string): ReadonlySet<string> => new Set(Object.values(findPhase(phase)?.actions ?? {}).flat())

function signatureOf({ name, takes, rest, gives }: LanguageFunction): string {
  const words = takes.map((param) => (param.optional ? `[${param.name}]` : param.name))
  const result = gives === 'first' ? 'as its argument' : documentedName(gives)
  return `${name}(${[...words, ...(rest ? [`${rest.param.name}…`] : [])].join(', ')}) → ${result}`
}
