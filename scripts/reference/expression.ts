/** The reference page of the rules language, made from its registries; every example on it is run by a test. */
import {
  defaultLimits,
  documentedName,
  type Field,
  fields,
  functions,
  type LanguageFunction,
  type Type,
} from '../../src/expression/index.ts'

/** A line of a table with an expression that gives `true` for the values beside it. */
export type Shown = readonly [text: string, where: Readonly<Record<string, unknown>>]

export function expressionReference(): string {
  return [introduction, operators(), literals(), arraysAndMaps, limits(), functionPages(), fieldTables()].join('\n')
}

const introduction = `# The rules language

An expression asks a question about a request. A filter gives a Boolean; a value expression, used in rewrites and redirects, gives a
value and holds no comparison outside of calls. \`true\` matches everything.

Strings are bytes, and compare byte for byte. A missing value (an absent header, an index out of range) makes **every comparison false**,
\`ne\` included, so \`not x eq "a"\` and \`x ne "a"\` differ for a missing \`x\`. There are no conversions between types.

Try an expression out with \`spillway rules check '<expression>'\` and \`spillway rules test '<expression>' --request request.json\`.
`

const host = { 'http.host': 'Example.org' }

/** Each row: how it is written, what it is for, what it means, and an example that holds. */
export const operatorRows: readonly (readonly [string, string, string, Shown])[] = [
  ['`eq` `==`', 'String, Integer, IP', 'equal', ['http.host eq "Example.org"', host]],
  ['`ne` `!=`', 'String, Integer, IP', 'not equal', ['ip.src ne 192.0.2.1', { 'ip.src': '2001:db8::1' }]],
  [
    '`lt` `<`, `le` `<=`, `gt` `>`, `ge` `>=`',
    'String, Integer, IP',
    'order; addresses of two families have none',
    ['cf.threat_score ge 10', { 'cf.threat_score': 10 }],
  ],
  ['`contains`', 'String', 'holds the text', ['http.host contains "ample"', host]],
  [
    '`matches` `~`',
    'String',
    'a regular expression matches anywhere',
    ['http.host matches "(?i)^example\\.[a-z]+$"', host],
  ],
  [
    '`wildcard`',
    'String',
    'the whole value fits, ignoring ASCII case; `*` is any run of bytes',
    ['http.host wildcard "*.ORG"', host],
  ],
  ['`strict wildcard`', 'String', 'the same, minding case', ['http.host strict wildcard "*.org"', host]],
  [
    '`in {…}`',
    'String, Integer, IP',
    'one of the elements',
    ['ip.src in {192.0.2.0/24 2001:db8::1}', { 'ip.src': '192.0.2.9' }],
  ],
  [
    '`in $name`',
    'String, Integer, IP',
    'a member of a named list',
    ['not ip.src in $office', { 'ip.src': '192.0.2.9' }],
  ],
  ['`&` `bitwise_and`', 'Integer', 'a common bit is set', ['tcp.flags & 0x12', { 'tcp.flags': 2 }]],
  ['`not` `!`', 'Boolean', 'negation, binds tightest', ['not ssl', { ssl: false }]],
  ['`and` `&&`', 'Boolean', 'both', ['ssl and http.host eq "Example.org"', { ...host, ssl: true }]],
  ['`xor` `^^`', 'Boolean', 'one of two', ['ssl xor cf.client.bot', { ssl: true, 'cf.client.bot': false }]],
  ['`or` `\\|\\|`', 'Boolean', 'at least one, binds loosest', ['ssl or cf.client.bot', { ssl: true }]],
]

const operators = (): string =>
  table(
    '## Operators',
    ['Written', 'For', 'Meaning', 'Example'],
    operatorRows.map(([written, forTypes, means, [text]]) => [written, forTypes, means, code(text)]),
    'The right side is a literal; of `eq`, `ne` and the orders it may also be a field or a call of the same type. Boolean fields stand alone: ' +
      '`ssl`, never `ssl eq true`. White space is space, carriage return and line feed; a tab inside an expression is an error.',
  )

export const literalRows: readonly (readonly [string, string, Shown])[] = [
  ['String', 'in double quotes, with `\\"`, `\\\\`, `\\xHH` and `\\OOO`', ['http.host eq "\\x45xample.org"', host]],
  ['Raw string', '`r"…"` or `r#"…"#`, no escapes at all', ['http.host matches r"\\.org$"', host]],
  ['Bytes', 'hex pairs with `:`, `-` or `.` between them', ['http.host contains 6f:72:67', host]],
  [
    'Integer',
    'decimal, `0x` hexadecimal, octal with a leading zero; 64 bits',
    ['cf.edge.server_port eq 0x1bb', { 'cf.edge.server_port': 443 }],
  ],
  [
    'Range',
    '`a..b` in sets, both ends included',
    ['cf.edge.server_port in {80 8000..8099}', { 'cf.edge.server_port': 8080 }],
  ],
  [
    'IP',
    'never in quotes; in sets also networks and ranges',
    ['ip.src in {192.0.2.1..192.0.2.9}', { 'ip.src': '192.0.2.5' }],
  ],
]

const literals = (): string =>
  table(
    '## Literals',
    ['Kind', 'Written', 'Example'],
    literalRows.map(([kind, written, [text]]) => [kind, written, code(text)]),
    'Regular expressions have the syntax of Rust, on bytes, without look-around and back-references. In a quoted pattern only `\\"` is an escape ' +
      'of the string. Unicode classes and letters need `(?u)` at the beginning of the pattern.',
  )

export const arrayExamples: readonly Shown[] = [
  ['http.request.headers["accept"][0] eq "text/html"', { 'http.request.headers': { accept: ['text/html'] } }],
  ['any(lower(http.request.headers.names[*])[*] eq "x-one")', { 'http.request.headers.names': ['X-One'] }],
  ['all(http.request.uri.args["id"][*] matches "^[0-9]+$")', { 'http.request.uri.args': { id: ['1', '22'] } }],
  [
    'any((cf.bot_management.detection_ids[*] gt 5 and cf.bot_management.detection_ids[*] lt 9))',
    { 'cf.bot_management.detection_ids': [3, 7] },
  ],
]

const arraysAndMaps = `## Arrays and maps

\`[n]\` takes an element, \`["key"]\` the value of a key, \`[*]\` all of them; the condition is then made for each, and \`any(…)\` or \`all(…)\`
makes one answer of it. Inside, \`and\`, \`or\` and \`xor\` need parentheses of their own and work element by element. In a call \`[*]\` may stand in
the first argument only; the call is made for each element. \`any\` over nothing is false, \`all\` over nothing is true.

\`\`\`
${arrayExamples.map(([text]) => text).join('\n')}
\`\`\`
`

const limits = (): string =>
  table(
    '## Limits',
    ['Limit', 'Value'],
    [
      ['characters of an expression', `${defaultLimits.length}`],
      ['nesting', `${defaultLimits.nesting}`],
      ['elements of a set', `${defaultLimits.setSize}`],
      ['regular expressions', `${defaultLimits.regexes}`],
      ['size of one compiled regular expression', `${defaultLimits.regexBytes / 1024} KiB, estimated`],
      ['stars of a wildcard', `${defaultLimits.wildcardStars}`],
    ],
  )

const functionPages = (): string => ['## Functions\n', ...functions.map(functionPage)].join('\n')

function functionPage(called: LanguageFunction): string {
  const notes = [
    ...(called.valueOnly ? ['Only in value expressions.'] : []),
    ...(called.phases ? [`Only in ${called.phases.map(code).join(', ')}.`] : []),
  ]
  const examples = called.examples.map(([text, gives, where]) => {
    const given = where ? ` with ${JSON.stringify(where)}` : ''
    return `${text}${given}\n  gives ${gives === undefined ? 'a missing value' : JSON.stringify(gives)}`
  })
  return [
    `### ${called.name}`,
    '',
    code(signature(called)),
    '',
    [called.says, ...notes].join(' '),
    '',
    '```',
    ...examples,
    '```',
    '',
  ].join('\n')
}

function signature({ name, takes, rest, gives }: LanguageFunction): string {
  const params = takes.map((param) => {
    const written = `${param.name}: ${param.wants.map(wantedName).join(' | ')}${param.kind === 'literal' ? ' literal' : ''}`
    return param.optional ? `[${written}]` : written
  })
  return `${name}(${[...params, ...(rest ? ['...'] : [])].join(', ')}) -> ${wantedName(gives)}`
}

const wantedName = (wanted: string | Type): string => {
  if (wanted === 'first') return 'same type'
  if (wanted === 'element') return 'element type'
  return wanted === 'Array<_>' || wanted === 'Map<_>' ? wanted.replace('_', 'T') : documentedName(wanted as Type)
}

const fieldTables = (): string =>
  (['request', 'response', 'network'] as const)
    .map((stage) =>
      table(
        `## Fields of ${{ request: 'requests', response: 'responses', network: 'packets' }[stage]}`,
        ['Field', 'Type', 'Holds'],
        fields
          .filter((field) => field.stage === stage)
          .map((field) => [code(field.name), documentedName(field.type), held(field)]),
      ),
    )
    .join('\n')

function held(field: Field): string {
  const notes = [
    ...(field.default === undefined ? [] : [`${JSON.stringify(field.default)} when there is nothing to tell`]),
    ...(field.phases ? [`only in ${field.phases.join(', ')}`] : []),
    ...(field.scope ? ['only in rulesets of an account'] : []),
  ]
  return [field.says, ...notes].join('; ')
}

const code = (text: string): string => `\`${text}\``

function table(title: string, head: readonly string[], rows: readonly (readonly string[])[], behind?: string): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const body = [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)]
  return [title, '', ...body, '', ...(behind ? [behind, ''] : [])].join('\n')
}
