/** What option strings, output options and filters are judged by alike, and the words for it. */
import { type Dataset, findField } from './dataset.ts'
import { type TimestampFormat, timestampFormats } from './selection.ts'

export const isTimestampFormat = (text: unknown): text is TimestampFormat =>
  timestampFormats.some((format) => format === text)

export const mayBeSample = (share: number): boolean => share >= 0.001 && share <= 1

/** Why a dataset has no field of this name, with the one that was probably meant. */
export function sayUnknownField(dataset: Dataset, name: string): string {
  const near = dataset.fields.find((field) => field.name.toLowerCase() === name.toLowerCase())
  const hint = near ? `, did you mean ${near.name}?` : ''
  return `${dataset.name} has no field ${excerpt(name)}${hint}`
}

/** What is wrong with each name of a list, by its index: not a field of the dataset, or named before. */
export function judgeNames(dataset: Dataset, names: readonly unknown[]): readonly (string | undefined)[] {
  const seen = new Set<string>()
  return names.map((name) => {
    if (typeof name !== 'string') return 'a field name is a string'
    if (name === '') return 'a field name is empty'
    if (!findField(dataset, name)) return sayUnknownField(dataset, name)
    if (seen.has(name)) return `field ${name} is named twice`
    seen.add(name)
    return undefined
  })
}

/** A caller's own text in a reason: quoted, and short however long it was. */
export function excerpt(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text)
}
