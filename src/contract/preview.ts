/** What a job would write, before there is one. */
import { Type } from 'typebox'
import { operation } from './operation.ts'
import { nullable, strict, time } from './words.ts'

export const previewJob = operation({
  id: 'previewJob',
  summary: 'The first records as a job with these options would write them, and how much it would write an hour',
  tag: 'Log export',
  method: 'POST',
  place: 'both',
  path: '/logexport/preview',
  allowed: 'logs:read',
  body: strict({
    dataset: Type.Optional(nullable(Type.String({ maxLength: 256, pattern: String.raw`^[a-zA-Z0-9_\-]*$` }))),
    logfetch_options: Type.Optional(nullable(Type.String({ maxLength: 4096 }))),
    output_options: Type.Optional(nullable(Type.Record(Type.String(), Type.Unknown()))),
    filter: Type.Optional(nullable(Type.String({ maxLength: 4096 }))),
  }),
  result: Type.Object({
    text: Type.String({ description: 'a batch of the first ten records; of a parquet file, its rows as NDJSON' }),
    records: Type.Integer({ description: 'how many records the text holds' }),
    rows_per_hour: Type.Integer(),
    bytes_per_hour: Type.Integer({ description: 'before compression' }),
    window: Type.Object({ from: time, to: time }, { description: 'the received time that was looked at' }),
  }),
})
