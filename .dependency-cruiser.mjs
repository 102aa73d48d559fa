// The house, as edges. A room may import itself, the rooms beside its name, and nothing else of ours.
export const rooms = {
  base: [],
  contract: [],
  expression: ['base'],
  datasets: ['base'],
  destinations: ['base'],
  db: ['base'],
  engine: ['base'],
  access: ['base', 'db'],
  logs: ['base', 'datasets', 'engine'],
  jobs: ['base', 'datasets', 'destinations', 'db', 'access'],
  rulesets: ['base', 'expression', 'db', 'access'],
  exporter: ['base', 'destinations', 'jobs', 'logs'],
  edge: ['base', 'access', 'datasets', 'db', 'expression', 'logs', 'rulesets'],
  http: ['base', 'contract', 'access', 'datasets', 'expression', 'logs', 'jobs', 'rulesets', 'edge'],
  doctor: ['base', 'destinations', 'db', 'engine', 'jobs', 'logs', 'http'],
  cli: ['base', 'contract', 'datasets', 'destinations', 'expression', 'rulesets', 'doctor'],
}

// Rooms of which only types may be used: such an import is gone before anything runs.
export const typesOnly = { contract: ['base'] }

// Front-door files that a room may use: `serve` and `migrate` start the house itself, `doctor` looks at how it would start.
export const frontDoorUsers = {
  cli: ['service', 'config', 'version', 'backup'],
  doctor: ['service', 'config', 'house-lock'],
}

// Which rooms may hold which outside package; no one else may import it.
export const keepers = {
  fastify: 'http',
  ws: 'http',
  kysely: 'db|access|jobs|rulesets',
  pg: 'db',
  '@clickhouse': 'logs',
  chdb: 'engine',
  typebox: 'contract|http',
  re2js: 'expression',
  '@smithy': 'destinations',
  '@aws-crypto': 'destinations',
  'prom-client': 'base',
  pino: 'base',
}

// Files that open the front door: they may join any rooms.
const frontDoor = String.raw`^src/[^/]+\.ts$`
const tests = String.raw`\.test\.ts$`

export default {
  forbidden: [
    {
      name: 'no-circles',
      severity: 'error',
      from: { path: '^src' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    ...Object.entries(rooms).map(([room, mayUse]) => ({
      name: `${room}-keeps-to-its-own`,
      severity: 'error',
      from: { path: `^src/${room}/`, pathNot: tests },
      to: {
        path: '^src/',
        pathNot: [
          `^src/(${[room, ...mayUse, ...(typesOnly[room] ?? [])].join('|')})/`,
          ...(frontDoorUsers[room] ?? []).map((file) => String.raw`^src/${file}\.ts$`),
        ],
      },
    })),
    ...Object.entries(typesOnly).map(([room, others]) => ({
      name: `${room}-takes-only-types`,
      severity: 'error',
      from: { path: `^src/${room}/`, pathNot: tests },
      to: { path: `^src/(${others.join('|')})/`, dependencyTypesNot: ['type-only'] },
    })),
    {
      name: 'come-in-by-the-door',
      severity: 'error',
      from: { path: '^src/([^/]+)/', pathNot: tests },
      to: { path: '^src/[^/]+/', pathNot: ['^src/$1/', String.raw`^src/[^/]+/index\.ts$`] },
    },
    {
      name: 'the-front-door-uses-doors-too',
      severity: 'error',
      from: { path: frontDoor, pathNot: tests },
      to: { path: '^src/[^/]+/', pathNot: String.raw`^src/[^/]+/index\.ts$` },
    },
    ...Object.entries(keepers).map(([name, room]) => ({
      name: `only-${room}-knows-${name}`,
      severity: 'error',
      from: { path: '^src/', pathNot: [`^src/(${room})/`, tests] },
      // A package that the cruiser cannot find stays a bare name.
      to: { path: `(^|node_modules/)${name}(/|$)` },
    })),
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
  },
}
