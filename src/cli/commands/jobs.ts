/** Export jobs: list, read, make, change, start, stop, delete. */
import { type BodyOf, type Client, logexport, type ResultOf, type ScopeRef } from '../../contract/index.ts'
import { columns, command, type Flags, type Given, type Terminal, UsageError } from '../command.ts'
import { connect, connectFlags, datasetFlag, scopeFlags } from '../connect.ts'
import { destinationFrom, maskedConf, proofFlags, proofOf, sayProof } from '../prove.ts'
import { print, table } from '../table.ts'

type Job = ResultOf<typeof logexport.viewJob>
type Fields = Omit<BodyOf<typeof logexport.updateJob>, 'destination_conf'>

const flags = { ...connectFlags, ...scopeFlags }

const fieldFlags = {
  name: { type: 'string', value: '<name>', says: 'A label of letters, digits, dots and hyphens.' },
  options: { type: 'string', value: '<text>', says: 'Options, such as fields=RayID,ClientIP&timestamps=rfc3339.' },
  'output-options': { type: 'string', value: '<json>', says: 'Output options; they replace the options.' },
  filter: { type: 'string', value: '<json>', says: 'Which records; an empty text for all.' },
  frequency: {
    type: 'string',
    value: '<high|low>',
    offers: ['high', 'low'],
    says: 'How often, unless a ceiling says it.',
  },
  'max-bytes': { type: 'string', value: '<n>', says: 'Ceiling of one batch in bytes; 0 for none.' },
  'max-records': { type: 'string', value: '<n>', says: 'Ceiling of one batch in records; 0 for none.' },
  'max-seconds': { type: 'string', value: '<n>', says: 'Longest range of one batch in seconds; 0 for none.' },
} as const satisfies Flags

/** The flags that were given, as the API calls them. */
const fieldsOf = (given: Given<typeof fieldFlags>): Fields => ({
  ...(given.name === undefined ? {} : { name: given.name }),
  ...(given.options === undefined ? {} : { logfetch_options: given.options }),
  ...(given['output-options'] === undefined ? {} : { output_options: object(given['output-options']) }),
  ...(given.filter === undefined ? {} : { filter: given.filter }),
  ...(given.frequency === undefined ? {} : { frequency: given.frequency as 'high' | 'low' }),
  ...(given['max-bytes'] === undefined ? {} : { max_upload_bytes: whole(given['max-bytes']) }),
  ...(given['max-records'] === undefined ? {} : { max_upload_records: whole(given['max-records']) }),
  ...(given['max-seconds'] === undefined ? {} : { max_upload_interval_seconds: whole(given['max-seconds']) }),
})

/** The options of a job with further fields at their end; one that named none so far names the default ones from now on. */
async function withFields(
  { client, scope }: { readonly client: Client; readonly scope: ScopeRef },
  params: { job_id: number },
  added: readonly string[],
): Promise<Fields> {
  const job = await client.call(logexport.viewJob, { scope, params })
  const { dataset } = job
  const usual = async () => Object.keys(await client.call(logexport.listDefaultFields, { scope, params: { dataset } }))
  const all = (before: readonly string[]) => [...new Set([...before, ...added])]
  if (job.output_options !== null) {
    const { field_names: before } = job.output_options as { field_names?: string[] }
    return { output_options: { ...job.output_options, field_names: all(before ?? (await usual())) } }
  }
  const parts = (job.logfetch_options ?? '').split('&').filter(Boolean)
  const named = parts.find((part) => part.startsWith('fields='))?.slice('fields='.length)
  const others = parts.filter((part) => !part.startsWith('fields='))
  const before = named === undefined ? await usual() : named.split(',')
  return { logfetch_options: [`fields=${all(before).join(',')}`, ...others].join('&') }
}

function object(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError('--output-options is not JSON')
  }
}

function whole(text: string | undefined): number {
  if (!/^\d{1,15}$/.test(text ?? '')) throw new UsageError(`${text ?? 'nothing'} is not a whole number`)
  return Number(text)
}

export function jobId(word: string | undefined): { job_id: number } {
  if (word === undefined) throw new UsageError('say the id of the job')
  return { job_id: whole(word) }
}

export const jobCommands = [
  command({
    name: 'jobs list',
    says: 'Export jobs of a zone or account.',
    flags: { ...flags, dataset: datasetFlag('Only jobs of this dataset.') },
    async run(terminal, given) {
      const { client, scope } = connect(given)
      const jobs =
        given.dataset === undefined
          ? await client.call(logexport.listJobs, { scope: await scope() })
          : await client.call(logexport.listDatasetJobs, { scope: await scope(), params: { dataset: given.dataset } })
      print(terminal, given, jobs, () =>
        jobs.length === 0
          ? 'No jobs yet. Make one: spillway jobs create <destination> --prove'
          : table(
              terminal,
              ['id', 'dataset', 'name', 'state', 'complete up to', 'destination'],
              jobs.map((job) => [
                String(job.id),
                job.dataset,
                job.name,
                stateOf(job),
                job.last_complete ?? 'never',
                maskedConf(job.destination_conf),
              ]),
            ),
      )
      return 0
    },
  }),
  command({
    name: 'jobs get',
    says: 'One export job.',
    takes: '<id>',
    flags,
    async run(terminal, given, [id]) {
      const params = jobId(id)
      const { client, scope } = connect(given)
      show(terminal, given, await client.call(logexport.viewJob, { scope: await scope(), params }))
      return 0
    },
  }),
  command({
    name: 'jobs create',
    says: 'Make an export job; it is off until it is enabled.',
    takes: '<destination>',
    flags: {
      ...flags,
      ...fieldFlags,
      ...proofFlags,
      dataset: datasetFlag('What to export, http_requests unless said.'),
      edge: { type: 'boolean', says: 'A job of the kind edge.' },
      enabled: { type: 'boolean', says: 'Start it at once.' },
    },
    more: [
      'A destination of - is read from input, so that its secrets stay out of the history of the shell.',
      'Examples:',
      "  spillway jobs create 'file:///edge/{DATE}' --prove --enabled",
      "  spillway jobs create 's3://bucket/logs/{DATE}?region=eu-west-1' --prove     (says where the token is)",
      "  spillway jobs create 's3://bucket/logs/{DATE}?region=eu-west-1' --challenge <token>",
    ].join('\n'),
    async run(terminal, given, [word]) {
      const fields = fieldsOf(given)
      const conf = await destinationFrom(terminal, word)
      const { client, scope: find } = connect(given)
      const scope = await find()
      const token = await proofOf({ client, scope, terminal }, given, conf)
      const body = {
        destination_conf: conf,
        ...fields,
        ...(token === undefined ? {} : { ownership_challenge: token }),
        ...(given.dataset === undefined ? {} : { dataset: given.dataset }),
        ...(given.edge ? { kind: 'edge' as const } : {}),
        ...(given.enabled ? { enabled: true } : {}),
      }
      const job = await client
        .call(logexport.createJob, { scope, body })
        .catch((error: unknown) => sayProof(error, token))
      const next = job.enabled ? 'and runs.' : `but off. Start it: spillway jobs enable ${job.id}`
      print(terminal, given, job, () => `Job ${job.id} is there, ${next}`)
      return 0
    },
  }),
  command({
    name: 'jobs update',
    says: 'Change an export job; what is not said stays.',
    takes: '<id>',
    flags: {
      ...flags,
      ...fieldFlags,
      ...proofFlags,
      destination: { type: 'string', value: '<conf>', says: 'Another destination, with its proof; - reads it.' },
      'add-field': { type: 'string', multiple: true, value: '<name>', says: 'Write this field too.' },
    },
    async run(terminal, given, [id]) {
      const params = jobId(id)
      const said = fieldsOf(given)
      const added = given['add-field'] ?? []
      const isMoving = given.destination !== undefined
      if (Object.keys(said).length + added.length === 0 && !isMoving) throw new UsageError('say what to change')
      if (added.length > 0 && (said.logfetch_options ?? said.output_options) !== undefined)
        throw new UsageError('say --add-field, or the fields in --options or --output-options')
      if ((given.prove || given.challenge !== undefined) && !isMoving)
        throw new UsageError('a proof belongs to a new --destination')
      const { client, scope: find } = connect(given)
      const scope = await find()
      const fields = added.length === 0 ? said : { ...said, ...(await withFields({ client, scope }, params, added)) }
      const conf = isMoving ? await destinationFrom(terminal, given.destination) : undefined
      const token = conf === undefined ? undefined : await proofOf({ client, scope, terminal }, given, conf)
      const body = {
        ...fields,
        ...(conf === undefined ? {} : { destination_conf: conf }),
        ...(token === undefined ? {} : { ownership_challenge: token }),
      }
      const job = await client
        .call(logexport.updateJob, { scope, params, body })
        .catch((error: unknown) => sayProof(error, token))
      show(terminal, given, job)
      return 0
    },
  }),
  switching('enable', 'Start an export job, from now on.', true),
  switching('disable', 'Stop an export job; what comes in meanwhile is not exported.', false),
  command({
    name: 'jobs delete',
    says: 'Delete an export job; its destination is free again.',
    takes: '<id>',
    flags,
    async run(terminal, given, [id]) {
      const params = jobId(id)
      const { client, scope } = connect(given)
      const gone = await client.call(logexport.deleteJob, { scope: await scope(), params })
      print(terminal, given, gone, () => `Job ${gone.id} is gone.`)
      return 0
    },
  }),
  command({
    name: 'jobs signing',
    says: 'The secrets that requests of a job to an HTTPS receiver are signed with, newest first.',
    takes: '<id>',
    flags: { ...flags, rotate: { type: 'boolean', says: 'Make a new one; the newest so far stays beside it.' } },
    async run(terminal, given, [id]) {
      const params = jobId(id)
      const { client, scope: find } = connect(given)
      const operation = given.rotate ? logexport.rotateSigning : logexport.viewSigning
      const signing = await client.call(operation, { scope: await find(), params })
      print(terminal, given, signing, ({ secrets }) => secrets.join('\n') || 'Requests of this job are not signed.')
      return 0
    },
  }),
]

function switching(verb: string, says: string, enabled: boolean) {
  return command({
    name: `jobs ${verb}`,
    says,
    takes: '<id>',
    flags,
    async run(terminal, given, [id]) {
      const params = jobId(id)
      const { client, scope } = connect(given)
      const job = await client.call(logexport.updateJob, { scope: await scope(), params, body: { enabled } })
      print(terminal, given, job, () => `Job ${job.id} is ${enabled ? 'on' : 'off'}.`)
      return 0
    },
  })
}

/** Everything but secrets; as JSON it is what the API gave. */
function show(terminal: Terminal, given: { readonly json?: boolean }, job: Job): void {
  const shown = { ...job, destination_conf: maskedConf(job.destination_conf) }
  print(terminal, given, job, () =>
    columns(
      Object.entries(shown).map(([field, value]) => [field, typeof value === 'string' ? value : JSON.stringify(value)]),
    ),
  )
}

function stateOf(job: Job): string {
  if (!job.enabled) return 'off'
  return job.last_error === null ? 'on' : 'failing'
}
