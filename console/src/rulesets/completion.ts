/** What could stand where the caret is: fields and functions of the phase that fit what was typed. */
import type { Language } from './language.ts'

export type Candidate = {
  readonly name: string
  readonly kind: 'field' | 'function'
  readonly shown: string
  readonly says: string
  readonly insert: string
  readonly from: number
  readonly to: number
}

const most = 8

export function candidatesAt(text: string, caret: number, language: Language | undefined): readonly Candidate[] {
  const typed = /[A-Za-z_][\w.]*$/.exec(text.slice(0, caret))?.[0]
  if (!language || typed === undefined || typed.length < 2 || isInString(text.slice(0, caret))) return []
  const place = { from: caret - typed.length, to: caret }
  const wanted = typed.toLowerCase()
  const fields = language.fields.map(
    ({ name, type, says }): Candidate => ({
      name,
      kind: 'field',
      shown: name,
      says: `${type}. ${says}`,
      insert: name,
      ...place,
    }),
  )
  const functions = language.functions.map(
    ({ name, signature, says }): Candidate => ({
      name,
      kind: 'function',
      shown: signature,
      says,
      insert: `${name}(`,
      ...place,
    }),
  )
  const rank = ({ name }: Candidate): number => {
    const at = name.toLowerCase().indexOf(wanted)
    if (at === -1 || name === typed) return -1
    if (at === 0) return 0
    return name[at - 1] === '.' || name[at - 1] === '_' ? 1 : 2
  }
  return [...fields, ...functions]
    .map((one) => ({ one, rank: rank(one) }))
    .filter((ranked) => ranked.rank >= 0)
    .sort((a, b) => a.rank - b.rank || a.one.name.length - b.one.name.length)
    .slice(0, most)
    .map(({ one }) => one)
}

const isInString = (before: string): boolean => (before.replaceAll(/\\./g, '').match(/"/g) ?? []).length % 2 === 1
