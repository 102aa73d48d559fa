/** The fields of a dataset as forms use them. */
import { useMemo } from 'react'
import { logexport } from '../../../src/contract/index.ts'
import { useAnswer } from '../asking.ts'
import { useSession } from '../session.tsx'

export type FieldInfo = {
  readonly name: string
  readonly type: string
  readonly says: string
  readonly operators: readonly string[]
}

const operatorsOf: Readonly<Record<string, readonly string[]>> = {
  string: ['eq', '!eq', 'in', '!in', 'contains', '!contains', 'startsWith', '!startsWith', 'endsWith', '!endsWith'],
  int: ['eq', '!eq', 'in', '!in', 'lt', 'leq', 'gt', 'geq'],
  bool: ['eq', '!eq'],
  array: ['contains', '!contains'],
}

const readField = ([name, said]: [string, string]): FieldInfo => {
  const at = said.indexOf(';')
  const type = said.slice(0, at)
  return { name, type, says: said.slice(at + 1).trim(), operators: operatorsOf[type.replace(/\[.*/, '')] ?? [] }
}

export function useFields(dataset: string) {
  const { client, scope } = useSession()
  const answer = useAnswer(
    async (signal) => {
      const call = { scope, params: { dataset }, signal }
      const [all, standard] = await Promise.all([
        client.call(logexport.listFields, call),
        client.call(logexport.listDefaultFields, call),
      ])
      return { all: Object.entries(all).map(readField), standard: Object.keys(standard) }
    },
    [scope, dataset],
  )
  const none = useMemo(() => ({ all: [], standard: [] }), [])
  return { ...answer, fields: answer.value ?? none }
}
