/** Try a request out on the deployed rules, and see why it went the way it went. */
import { rulesets } from '../../contract/index.ts'
import { command, type Terminal, UsageError } from '../command.ts'
import { connect, connectFlags, scopeFlags } from '../connect.ts'
import { paint, plain, print } from '../table.ts'

type Step = rulesets.TraceStep

export const traceCommands = [
  command({
    name: 'trace',
    says: 'Show what the deployed rules would do to a request, rule by rule.',
    takes: '<address>',
    flags: {
      ...connectFlags,
      ...scopeFlags,
      method: { type: 'string', short: 'X', value: '<method>', says: 'GET unless said.' },
      header: { type: 'string', short: 'H', value: '<name: value>', multiple: true, says: 'A header of the request.' },
      body: { type: 'string', short: 'd', value: '<text>', says: 'The body of the request.' },
      ip: { type: 'string', value: '<address>', says: 'Where the request comes from.' },
      field: {
        type: 'string',
        value: '<name=value>',
        multiple: true,
        says: 'Another field; its value is JSON, or text.',
      },
      status: { type: 'string', value: '<number>', says: 'The status of the origin; response phases run too.' },
    },
    async run(terminal, given, [url]) {
      if (!url) throw new UsageError('say the address')
      const { client, scope } = connect(given)
      const body = {
        url,
        method: given.method ?? (given.body === undefined ? 'GET' : 'POST'),
        headers: Object.fromEntries((given.header ?? []).map((text) => cut(text, ':'))),
        ...(given.body === undefined ? {} : { body: { plain_text: given.body } }),
        ...(given.ip === undefined ? {} : { ip: given.ip }),
        fields: Object.fromEntries(
          (given.field ?? []).map((text) => cut(text, '=')).map(([name, value]) => [name, read(value)]),
        ),
        ...(given.status === undefined ? {} : { response: { status: Number(given.status) } }),
      }
      const found = await client.call(rulesets.traceRequest, { scope: await scope(), body })
      print(terminal, given, found, () =>
        [
          ...tree(terminal, found.trace),
          `${found.action === 'allow' ? 'The request goes on' : found.action}, ${found.status_code}`,
        ].join('\n'),
      )
      return 0
    },
  }),
]

function cut(text: string, at: string): [string, string] {
  const place = text.indexOf(at)
  if (place < 1) throw new UsageError(`"${text}" has no "${at}" in it`)
  return [text.slice(0, place).trim(), text.slice(place + 1).trim()]
}

function read(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function* tree(terminal: Terminal, steps: readonly Step[], indent = ''): Generator<string> {
  for (const [at, step] of steps.entries()) {
    const isLast = at === steps.length - 1
    yield `${indent}${isLast ? '└─' : '├─'} ${line(terminal, step)}`
    const inner = `${indent}${isLast ? '   ' : '│  '}`
    if (step.type === 'rule' && step.expression !== undefined) yield `${inner}   ${plain(step.expression)}`
    if (step.type === 'rule' && step.values && Object.keys(step.values).length > 0)
      yield `${inner}   with ${plain(
        Object.entries(step.values)
          .map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
          .join(', '),
      )}`
    yield* tree(terminal, step.trace ?? [], inner)
  }
}

function line(terminal: Terminal, { type, step_name, name, kind, description, action, matched, note }: Step): string {
  const title = type === 'phase' ? step_name : `${kind ?? action} ${description ?? name ?? step_name}`
  const said = `${matched ? '✓' : '·'} ${plain(title)}${note ? ` (${plain(note)})` : ''}`
  return matched ? paint(terminal, 'green', said) : said
}
