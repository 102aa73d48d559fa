/** What `npm run generate` does: writes openapi.json and the reference pages from the registries. `npm run check` compares. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openapi, operations } from '../src/contract/index.ts'
import { apiReference } from './reference/api.ts'
import { datasetsReference } from './reference/datasets.ts'
import { destinationsReference } from './reference/destinations.ts'
import { errorsReference } from './reference/errors.ts'
import { expressionReference } from './reference/expression.ts'
import { cliReference, configurationReference, metricsReference } from './reference/frame.ts'
import { actionsReference, phasesReference } from './reference/rulesets.ts'

const root = join(import.meta.dirname, '..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** Every generated file below docs/reference, and what makes it. */
const files: Readonly<Record<string, () => string>> = {
  'openapi.json': () => `${JSON.stringify(openapi(operations, version), null, 2)}\n`,
  'README.md': () => indexOf(Object.keys(files)),
  'api.md': apiReference,
  'configuration.md': configurationReference,
  'errors.md': errorsReference,
  'metrics.md': metricsReference,
  'cli.md': cliReference,
  'datasets.md': datasetsReference,
  'destinations.md': destinationsReference,
  'expression.md': expressionReference,
  'phases.md': phasesReference,
  'actions.md': actionsReference,
}

/** The page a reader of the directory sees: what each of its pages is about, by its first heading. */
function indexOf(names: readonly string[]): string {
  const pages = names.filter((name) => name.endsWith('.md') && name !== 'README.md')
  const rows = pages.map((name) => {
    const [, title = name] = /^# (.+)$/m.exec(files[name]?.() ?? '') ?? []
    return `- [${title}](${name})`
  })
  return [
    '# Reference',
    '',
    'Made from the code by `npm run generate`; `npm run check` sees to it that it is what the code says.',
    '',
    ...rows,
    '- [OpenAPI document](openapi.json), as a page at `/docs` of a running service',
    '',
  ].join('\n')
}

/** The path and the text of each file, as it should be now. */
export const generated = (): readonly (readonly [path: string, text: string])[] =>
  Object.entries(files).map(([name, make]) => [join(root, 'docs/reference', name), make()])

if (import.meta.main) {
  for (const [path, text] of generated()) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  console.log(`Wrote ${Object.keys(files).length} files to docs/reference.`)
}
