/**
 * What a request of ClickHouse's HTTP protocol means for the embedded engine: the statements to run, in order, and
 * where the answer goes. Pure text in, text out.
 */

export type Encoding = 'identity' | 'gzip' | 'zstd'

export type Ask = {
  readonly sql: string
  readonly settings: ReadonlyMap<string, string>
  /** Values of `{name:Type}`, as they stood in the URL. */
  readonly params: ReadonlyMap<string, string>
  readonly database: string
  readonly queryId: string
  readonly encoding: Encoding
  readonly level: number
}

// About the transport, not the engine: settings of the HTTP handler and names that are no settings at all.
const transport = new Set([
  'query',
  'query_id',
  'database',
  'session_id',
  'role',
  'user',
  'password',
  'default_format',
  'wait_end_of_query',
  'buffer_size',
  'enable_http_compression',
  'http_zlib_compression_level',
  'send_progress_in_http_headers',
  'http_headers_progress_interval_ms',
])

/** Reads a request: the query stands in the URL when the body holds rows, and in the body otherwise. */
export function readAsk(url: URL, acceptEncoding: string, body: string, queryId: string): Ask {
  const search = url.searchParams
  const settings = new Map<string, string>()
  const params = new Map<string, string>()
  for (const [name, value] of search) {
    if (name.startsWith('param_')) params.set(name.slice('param_'.length), value)
    else if (!transport.has(name)) settings.set(name, value)
  }
  const mayCompress = search.get('enable_http_compression') === '1'
  const accepted = acceptEncoding.split(',').map((each) => each.trim().split(';')[0])
  const encoding = (['zstd', 'gzip'] as const).find((each) => mayCompress && accepted.includes(each)) ?? 'identity'
  const level = Number(search.get('http_zlib_compression_level') ?? 3)
  return {
    sql: [search.get('query') ?? '', body].join('\n').trim().replace(/;$/, ''),
    settings,
    params,
    database: search.get('database') ?? 'default',
    queryId: search.get('query_id') ?? queryId,
    encoding,
    level: Number.isInteger(level) && level >= 1 && level <= 22 ? level : 3,
  }
}

/** Whether the statement gives rows back, so that its answer is worth a file. */
export const givesRows = (sql: string): boolean =>
  /^\s*(\/\*([^*]|\*(?!\/))*\*\/\s*)*(\(|select\b|with\b|show\b|describe\b|exists\b)/is.test(sql)

/** Whether the statement takes rows from the request body. */
export const takesRows = (sql: string): boolean => /^\s*insert\b/i.test(sql) && trailingFormat(sql) !== undefined

const trailingFormat = (sql: string): string | undefined => /\bformat\s+(\w+)\s*$/i.exec(sql)?.[1]

const withoutFormat = (sql: string): string => sql.replace(/\bformat\s+\w+\s*$/i, '')

/**
 * The statements for one request. Settings and parameters are set first: each request has a connection of its own, so
 * nothing of it outlives the request. The last setting lets a query be found and killed; a comment in its text would not,
 * because the engine writes the text anew when it holds parameters.
 */
export function toStatements(ask: Ask, files: { readonly rows?: string; readonly answer?: string }): string {
  const changes = [
    ...[...ask.settings].map(([name, value]) => [plainName(name), value] as const),
    ...[...ask.params].map(([name, value]) => [`param_${plainName(name)}`, value] as const),
    ['log_comment', ask.queryId] as const,
  ]
  const before = [
    ...(ask.database === 'default' ? [] : [`USE ${identifier(ask.database)}`]),
    `SET ${changes.map(([name, value]) => `${name} = ${literal(value)}`).join(', ')}`,
  ]
  return [...before, statement(ask, files)].join(';\n')
}

/** ASYNC, because SYNC waits for the entry to leave the process list, and it leaves only with its connection. */
export const killStatement = (queryId: string): string =>
  `KILL QUERY WHERE Settings['log_comment'] = ${literal(queryId)} ASYNC`

function statement(ask: Ask, { rows, answer }: { readonly rows?: string; readonly answer?: string }): string {
  if (rows !== undefined) return fromFile(ask.sql, rows)
  if (answer === undefined) return ask.sql
  const compression = ask.encoding === 'identity' ? '' : ` COMPRESSION '${ask.encoding}' LEVEL ${ask.level}`
  // As a server does over HTTP, a query without FORMAT answers in tab-separated lines.
  const format = trailingFormat(ask.sql) ?? 'TabSeparated'
  return `${withoutFormat(ask.sql)} INTO OUTFILE ${literal(answer)}${compression} FORMAT ${format}`
}

/**
 * `INSERT … SELECT … FROM input('…') FORMAT X` reads the spooled file by `file()`; a plain `INSERT … FORMAT X` by
 * `FROM INFILE`. A file is parsed about three times as fast as the same rows inline.
 */
function fromFile(sql: string, file: string): string {
  const format = trailingFormat(sql) ?? 'JSONEachRow'
  const bare = withoutFormat(sql)
  if (/\bfrom\s+input\s*\(/i.test(bare))
    return bare.replace(/\bfrom\s+input\s*\(/i, () => `FROM file(${literal(file)}, ${literal(format)}, `)
  return `${bare} FROM INFILE ${literal(file)} FORMAT ${format}`
}

const literal = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`

const identifier = (name: string): string => `\`${name.replace(/[\\`]/g, '\\$&')}\``

function plainName(name: string): string {
  if (!/^[A-Za-z_]\w*$/.test(name))
    throw new Error(`Code: 115. DB::Exception: Unknown setting '${name}'. (UNKNOWN_SETTING)`)
  return name
}
