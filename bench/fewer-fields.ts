/** A dataset of fewer fields, for senders and stores that know no others. */
import type { Dataset } from '../src/datasets/index.ts'

/** The default fields, those given, and others from all over the catalogue, to that many. */
export function fewerFields(whole: Dataset, count: number, given: readonly string[] = []): Dataset {
  const certain = new Set([whole.timestampField, ...whole.defaultFields, ...given])
  const others = whole.fields.filter(({ name }) => !certain.has(name))
  const step = others.length / (count - certain.size)
  const chosen = others.filter((_, index) => Math.floor((index + 1) / step) > Math.floor(index / step))
  return { ...whole, fields: whole.fields.filter((field) => certain.has(field.name) || chosen.includes(field)) }
}
