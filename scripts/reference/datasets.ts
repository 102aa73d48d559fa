/** The reference page of datasets, made from the catalogues and from what the code accepts. */
import {
  type Dataset,
  datasets,
  type Field,
  type FieldType,
  operatorsFor,
  timestampFormats,
  typeWord,
} from '../../src/datasets/index.ts'

export function datasetsReference(): string {
  return [introduction(), listing(), ...datasets.map(describe)].join('\n')
}

const introduction = (): string => `# Datasets

A dataset is a kind of record. Its fields are chosen by an option string (\`logfetch_options\`, and the query of log fetch) or
by \`output_options\`, and its records by a \`filter\`.

## Options

\`fields=ClientIP,RayID&sample=0.1&timestamps=rfc3339&CVE-2021-44228=true\`, bare or as a whole URL whose query is meant.

| Option | Values | Without it |
|---|---|---|
| \`fields\` | names, separated by commas; they are written in this order | the default fields |
| \`sample\` | 0.001 to 1: the share of records kept | 1 |
| \`timestamps\` | ${timestampFormats.map((format) => `\`${format}\``).join(', ')} | \`unixnano\` |
| \`CVE-2021-44228\` | \`true\`: every \`\${\` is written \`x{\` | \`false\` |

## Output options

The object \`output_options\` of a job says more than an option string can; a job that has it does not look at its option string.
\`null\` means the default of a member, and a new object replaces the old one whole.

| Member | Values | Default |
|---|---|---|
| \`field_names\` | list of names, written in this order | the default fields |
| \`output_type\` | \`ndjson\`, \`csv\`, \`parquet\` (which takes no framing) | \`ndjson\` |
| \`batch_prefix\`, \`batch_suffix\` | text before and after each batch | empty |
| \`record_prefix\` | text before each record | \`{\`; empty for csv |
| \`record_suffix\` | text after each record | \`}\` and a newline; a newline for csv |
| \`record_delimiter\` | text between records | empty |
| \`field_delimiter\` | text between fields | \`,\` |
| \`record_template\` | the body of each record, in place of the fields | none |
| \`timestamp_format\` | as \`timestamps\` above | \`unixnano\` |
| \`sample_rate\` | as \`sample\` above; it applies to what the filter kept | 1 |
| \`CVE-2021-44228\` | as above, \`true\` or \`false\` | \`false\` |

Values are JSON in csv as well: strings are quoted, numbers and booleans are not, and there is no header unless \`batch_prefix\` is one.
A template is text with \`{{.Field}}\` for the JSON value of a field, \`{{"text"}}\` or the same in back quotes for text that may hold
braces, and \`{{/* comments */}}\`. A field of the dataset that is not in \`field_names\` is \`null\` there.

## Filters

JSON in a string: \`{"where": node}\`. A node is \`{"and": [nodes]}\`, \`{"or": [nodes]}\` or \`{"key": field, "operator": word, "value":
value}\`. At most 30 operators and 1000 bytes. Whole numbers may be written in a string; timestamps are compared as nanoseconds.

| Field type | Operators |
|---|---|
${operatorRows()}

## Datasets of your own

Put a JSON file for each into the directory of \`SPILLWAY_DATASETS\`; the files in \`src/datasets/catalogue\` show the form. A file that
is wrong stops the start, and every reason is said.
`

function operatorRows(): string {
  const typed = (type: FieldType): Field => ({ name: '', type, description: '', filterable: true })
  const kinds: readonly FieldType[] = ['string', 'int', 'bool', 'array', 'float', 'object']
  return kinds
    .map((type) => {
      const operators = operatorsFor(typed(type)).map((operator) => `\`${operator}\``)
      return `| ${type} | ${operators.join(', ') || 'none'} |`
    })
    .join('\n')
}

const listing = (): string =>
  [
    '## All datasets',
    '',
    '| Dataset | Scope | Fields | Time of the event |',
    '|---|---|---|---|',
    ...datasets.map(
      ({ name, scope, fields, timestampField }) =>
        `| [\`${name}\`](#${name}) | ${scopeWords[scope]} | ${fields.length} | \`${timestampField}\` |`,
    ),
    '',
  ].join('\n')

const scopeWords = { zone: 'zone', account: 'account', both: 'zone and account' }

function describe(dataset: Dataset): string {
  return [
    `## ${dataset.name}`,
    '',
    `Default fields: ${dataset.defaultFields.map((name) => `\`${name}\``).join(', ')}.`,
    '',
    '| Field | Type | Meaning |',
    '|---|---|---|',
    ...dataset.fields.map((field) => `| \`${field.name}\` | ${typeWord(field)} | ${meaning(field)} |`),
    '',
  ].join('\n')
}

function meaning(field: Field): string {
  const values = field.enum ? `: ${field.enum.map((value) => `\`${value}\``).join(', ')}` : ''
  const notes = [field.deprecated ? ['deprecated'] : [], field.filterable ? [] : ['not filterable']].flat()
  const note = notes.length > 0 ? ` (${notes.join(', ')})` : ''
  return `${field.description}${values}${note}`.replaceAll('|', '\\|')
}
