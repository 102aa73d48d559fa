/**
 * No secret that passed through a house may stand in its log lines, in its database or in another file of its data
 * directory. Every house listens to its own client and looks when it stops, so the whole suite searches for leaks.
 */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'

export type Places = {
  readonly logLines: readonly string[]
  readonly data: string
  readonly databaseUrl?: string | undefined
}

export type SecretsWatch = {
  /** Sends as `fetch` does, and remembers the secrets of what goes and what comes. */
  readonly fetch: typeof fetch
  remember(secret: string): void
  /** Throws when a secret is found, without telling it again. */
  search(places: Places): Promise<void>
}

export function watchSecrets(): SecretsWatch {
  const known = new Set<string>()
  const remember = (secret: string) => {
    // Shorter words, and one letter many times over, occur by chance.
    if (secret.length >= 16 && new Set(secret).size >= 6) known.add(secret)
  }
  const read = (text: string) => {
    for (const secret of secretsIn(parsed(text))) remember(secret)
  }
  return {
    remember,
    async fetch(input, init) {
      if (typeof init?.body === 'string') read(init.body)
      const response = await fetch(input, init)
      if (/^application\/json/.test(response.headers.get('content-type') ?? '')) read(await response.clone().text())
      return response
    },
    async search(places) {
      const leaks = await findLeaks([...known], places)
      if (leaks.length > 0) throw new Error(`secrets stand where nobody may find them: ${leaks.join('; ')}`)
    },
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Secrets by the names of the members that hold them; of a destination, by the names of its parameters. */
function secretsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => {
    if (name === 'destination_conf' && typeof member === 'string') return secretsOfConf(member)
    if (['api_key', 'secrets', 'session_id', 'ownership_challenge'].includes(name)) return texts(member)
    // A token's secret; other members of that name are words of rules and filters.
    if (name === 'value' && 'issued_on' in value) return texts(member)
    return secretsIn(member)
  })
}

const texts = (member: unknown): string[] => [member].flat().filter((one) => typeof one === 'string')

const secretsOfConf = (conf: string): string[] =>
  [...new URLSearchParams(conf.split('?')[1] ?? '')]
    .filter(([name]) => /^header_|^sig$|key|token|secret/i.test(name))
    .map(([, value]) => value)
    .filter((value) => value !== '****')

/** Every spelling in which a secret would still be one. */
const spellings = (secret: string): string[] => [
  ...new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]),
  Buffer.from(secret).toString('base64').replace(/=+$/, '').slice(0, -1),
  Buffer.from(secret).toString('hex'),
]

/** Told as the beginning of the secret and the place. */
async function findLeaks(secrets: readonly string[], { logLines, data, databaseUrl }: Places): Promise<string[]> {
  const sought = secrets.flatMap((secret) => spellings(secret).map((spelling) => ({ secret, spelling })))
  const leaks = new Set<string>()
  const look = (where: string, text: string) => {
    for (const { secret, spelling } of sought)
      if (text.includes(spelling)) leaks.add(`${secret.slice(0, 4)}… in ${where}`)
  }
  look('the log', logLines.join(''))
  for await (const file of filesBelow(data)) look(file, await readFile(file, 'latin1'))
  if (databaseUrl) for await (const [table, rows] of rowsOf(databaseUrl)) look(`the table ${table}`, rows)
  return [...leaks]
}

/** Handed out once, and meant to be read there. */
const mayTell = new Set(['first-run.json', 'secret.key'])
/** Records and what is made of them are the tenants' own, and may hold anything. */
const ofTheTenants = new Set(['records', 'exports', 'spool'])
const mostBytes = 32 << 20

async function* filesBelow(directory: string): AsyncGenerator<string> {
  for (const entry of await readdir(directory, { withFileTypes: true }).catch(() => [])) {
    const path = join(directory, entry.name)
    if (entry.isDirectory() && !ofTheTenants.has(entry.name)) yield* filesBelow(path)
    if (entry.isFile() && !mayTell.has(entry.name) && (await stat(path)).size < mostBytes) yield path
  }
}

async function* rowsOf(url: string): AsyncGenerator<[table: string, rows: string]> {
  const client = new pg.Client({ connectionString: url })
  // A test may have taken the database away; what is gone tells nothing.
  const isThere = await client.connect().then(
    () => true,
    () => false,
  )
  if (!isThere) return
  try {
    const tables = await client.query<{ tablename: string }>(
      "select tablename from pg_tables where schemaname = 'public'",
    )
    for (const { tablename } of tables.rows) {
      const { rows } = await client.query(`select row_to_json(t)::text as row from "${tablename}" t limit 20000`)
      yield [tablename, rows.map(({ row }) => row).join('\n')]
    }
  } finally {
    await client.end()
  }
}
