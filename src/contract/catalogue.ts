/** What there is to choose from: datasets, phases with their actions, and the words of the rules language. */
import { Type } from 'typebox'
import { operation } from './operation.ts'

const says = Type.String({ description: 'One sentence about it' })
const names = Type.Array(Type.String())

export const listDatasets = operation({
  id: 'listDatasets',
  summary: 'Datasets of the scope',
  tag: 'Log export',
  method: 'GET',
  place: 'both',
  path: '/logexport/datasets',
  allowed: 'logs:read',
  result: Type.Array(
    Type.Object({
      name: Type.String(),
      timestamp_field: Type.String({ description: 'The field that says when the event happened' }),
      fields: Type.Integer({ description: 'How many fields a record may have' }),
    }),
  ),
})

export const listPhases = operation({
  id: 'listPhases',
  summary: 'Phases of the scope in the order a request passes them, with the actions that rules may take',
  tag: 'Rulesets',
  method: 'GET',
  place: 'both',
  path: '/rulesets/phases',
  allowed: 'rulesets:read',
  result: Type.Array(
    Type.Object({
      name: Type.String(),
      title: Type.String(),
      says,
      stage: Type.String({ description: 'network, request or response' }),
      max_rules: Type.Integer(),
      actions: Type.Record(Type.String(), names, { description: 'Kind of ruleset to the actions of its rules' }),
      actions_of_entry_point: names,
    }),
  ),
})

export const viewLanguage = operation({
  id: 'viewLanguage',
  summary: 'Fields, functions and actions that rules of a phase may use; of all phases when none is named',
  tag: 'Rulesets',
  method: 'GET',
  place: 'both',
  path: '/rulesets/language',
  allowed: 'rulesets:read',
  query: Type.Object({ phase: Type.Optional(Type.String({ maxLength: 100 })) }),
  result: Type.Object({
    fields: Type.Array(Type.Object({ name: Type.String(), type: Type.String(), says })),
    functions: Type.Array(Type.Object({ name: Type.String(), signature: Type.String(), says, example: Type.String() })),
    actions: Type.Array(
      Type.Object({
        name: Type.String(),
        says,
        example: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'Parameters it takes' })),
      }),
    ),
  }),
})
