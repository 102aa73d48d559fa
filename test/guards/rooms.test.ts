import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { missingFrom } from '../../scripts/complete-lock.ts'

const root = join(import.meta.dirname, '../..')
type Edges = Readonly<Record<string, readonly string[]>>
type Rules = { readonly rooms: Edges; readonly typesOnly: Edges; readonly keepers: Readonly<Record<string, string>> }
const { rooms, typesOnly, keepers }: Rules = await import(join(root, '.dependency-cruiser.mjs'))
const names = Object.keys(rooms)

/** What to import to hold the package or the vendor's name that a keeper is set over. */
const samples: Record<string, string> = {
  '@clickhouse': '@clickhouse/client',
  '@smithy': '@smithy/signature-v4',
  '@aws-crypto': '@aws-crypto/sha256-js',
}

/** Every way to break the rules, each in a file of its own: the file, what it says, and the rule that must bite. */
const planted: [file: string, text: string, rule: string | undefined][] = [
  ...names.flatMap((from) =>
    names
      .filter((to) => to !== from && !typesOnly[from]?.includes(to))
      .map((to): [string, string, string | undefined] => [
        `${from}/uses-${to}.ts`,
        `import '../${to}/index.ts'`,
        rooms[from]?.includes(to) ? undefined : `${from}-keeps-to-its-own`,
      ]),
  ),
  [
    'contract/value.ts',
    `import { base } from '../base/index.ts'\nexport const value = base`,
    'contract-takes-only-types',
  ],
  ['contract/type.ts', `import type { base } from '../base/index.ts'\nexport type Value = typeof base`, undefined],
  ['http/front.ts', `import '../service.ts'`, 'http-keeps-to-its-own'],
  ['cli/serve.ts', `import '../service.ts'`, undefined],
  ['cli/lock.ts', `import '../house-lock.ts'`, 'cli-keeps-to-its-own'],
  ['doctor/lock.ts', `import '../house-lock.ts'`, undefined],
  ['jobs/side.ts', `import '../access/audit.ts'`, 'come-in-by-the-door'],
  ['service.ts', `import './access/index.ts'`, undefined],
  ['house-lock.ts', `export {}`, undefined],
  ['house.ts', `import './access/audit.ts'`, 'the-front-door-uses-doors-too'],
  ['db/hen.ts', `import { egg } from './egg.ts'\nexport const hen = () => egg`, undefined],
  // A circle is reported once, at one of its files.
  ['db/egg.ts', `import { hen } from './hen.ts'\nexport const egg = () => hen`, 'no-circles'],
  ...Object.entries(keepers).map(([held, keeper]): [string, string, string | undefined] => {
    const stranger = names.find((room) => !keeper.split('|').includes(room))
    const text = `import '${samples[held] ?? held}'`
    return [`${stranger}/holds-${held.replace('@', '')}.ts`, text, `only-${keeper}-knows-${held}`]
  }),
  ...Object.entries(keepers).map(([held, keeper]): [string, string, string | undefined] => [
    `${keeper.split('|')[0]}/keeps-${held.replace('@', '')}.ts`,
    `import '${samples[held] ?? held}'`,
    undefined,
  ]),
]

describe('a planted house', () => {
  let directory: string
  const bitten = new Map<string, string[]>()

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'spillway-rooms-'))
    await symlink(join(root, 'node_modules'), join(directory, 'node_modules'))
    await copyFile(join(root, 'tsconfig.json'), join(directory, 'tsconfig.json'))
    const doors = names.map((room): [string, string] => [`${room}/index.ts`, `export const ${room} = 1`])
    for (const [file, text] of [...doors, ['access/audit.ts', 'export {}'] as const, ...planted]) {
      const path = join(directory, 'src', file)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, `${text}\n`)
    }
    const cruise = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs')
    const rules = join(root, '.dependency-cruiser.mjs')
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [cruise, '--config', rules, '--output-type', 'json', 'src'],
      { cwd: directory, maxBuffer: 1e8 },
    )
    const { summary } = JSON.parse(stdout) as { summary: { violations: { rule: { name: string }; from: string }[] } }
    for (const { rule, from } of summary.violations) {
      const file = from.replace(/^src\//, '')
      bitten.set(file, [...new Set([...(bitten.get(file) ?? []), rule.name])])
    }
  })
  after(() => rm(directory, { recursive: true, force: true }))

  test('each planted violation is bitten by its rule alone, and nothing that is allowed is bitten', () => {
    const wanted = planted.flatMap(([file, , rule]) => (rule === undefined ? [] : [[file, [rule]] as const]))
    assert.deepEqual(Object.fromEntries([...bitten].sort()), Object.fromEntries([...wanted].sort()))
  })
})

test('every folder of src is a room, and every room is a folder with a door', async () => {
  const folders = (await readdir(join(root, 'src'), { withFileTypes: true })).filter((entry) => entry.isDirectory())
  assert.deepEqual(folders.map((entry) => entry.name).sort(), [...names].sort())
  for (const { name } of folders) assert.ok((await readdir(join(root, 'src', name))).includes('index.ts'), name)
})

test('the table of rooms in ARCHITECTURE.md is the one the rules are made of', async () => {
  const page = await readFile(join(root, 'ARCHITECTURE.md'), 'utf8')
  const rows = [...page.matchAll(/^\| `(\w+)` \|[^|]*\| ([^|]*) \|$/gm)].map(([, room = '', uses = '']) => [
    room,
    uses === 'nothing of ours' ? [] : uses.split(', '),
  ])
  const wanted = names.map((room) => [
    room,
    [...(rooms[room] ?? []), ...(typesOnly[room] ?? []).map((other) => `${other} (types)`)],
  ])
  assert.deepEqual(rows, wanted)
})

test('the lock file names no registry, and holds the packages of every platform (node scripts/complete-lock.ts adds them)', async () => {
  const lock = await readFile(join(root, 'package-lock.json'), 'utf8')
  assert.doesNotMatch(lock, /"resolved":/)
  assert.deepEqual(Object.keys(missingFrom(JSON.parse(lock))), [])
})
