/** What a job would write, before there is one. */
import { preview } from '../../contract/index.ts'
import { command, UsageError } from '../command.ts'
import { connect, connectFlags, datasetFlag, scopeFlags } from '../connect.ts'
import { print } from '../table.ts'
import { harmless } from './tail.ts'

export const previewCommands = [
  command({
    name: 'preview',
    says: 'Show what a job with these options would write.',
    flags: {
      ...connectFlags,
      ...scopeFlags,
      dataset: datasetFlag('http_requests unless said.'),
      options: { type: 'string', value: '<text>', says: 'The option string, such as fields=RayID&sample=0.1.' },
      output: { type: 'string', value: '<json>', says: 'Output options, which win over the option string.' },
      filter: { type: 'string', value: '<json>', says: 'Which records, as a job filters them.' },
    },
    async run(terminal, given) {
      const { client, scope } = connect(given)
      const seen = await client.call(preview.previewJob, {
        scope: await scope(),
        body: {
          ...(given.dataset === undefined ? {} : { dataset: given.dataset }),
          ...(given.options === undefined ? {} : { logfetch_options: given.options }),
          ...(given.output === undefined ? {} : { output_options: readObject(given.output) }),
          ...(given.filter === undefined ? {} : { filter: given.filter }),
        },
      })
      print(terminal, given, seen, ({ text, rows_per_hour, bytes_per_hour }) =>
        [harmless(text.trimEnd()), `about ${rows_per_hour} records and ${bytes_per_hour} bytes an hour`]
          .filter((line) => line !== '')
          .join('\n'),
      )
      return 0
    },
  }),
]

function readObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // Said below, as for any text that is no object.
  }
  throw new UsageError('--output is a JSON object')
}
