/** The reference pages of the frame: settings, metrics and commands, each from the registry the code itself uses. */
import { makeMetrics } from '../../src/base/index.ts'
import { commands, helpOf } from '../../src/cli/index.ts'
import { settings } from '../../src/config.ts'

export function configurationReference(): string {
  const rows = Object.values(settings).map(
    ({ name, fallback, says }) => `| \`${name}\` | ${fallback === '' ? 'unset' : `\`${fallback}\``} | ${says} |`,
  )
  return [
    '# Configuration',
    '',
    'Everything is set by environment variables, read once at the start. A variable that starts with `SPILLWAY_` and is not',
    'listed here stops the start, so that a misspelt name is not silently ignored; a variable set to nothing is unset.',
    '`npm start` differs from `npx spillway serve` in three defaults: it turns the demo on, lets `file://` destinations write',
    'below `<data>/exports`, and logs warnings only.',
    '',
    '| Variable | Default | Meaning |',
    '|---|---|---|',
    ...rows,
    '',
    'The command line reads `SPILLWAY_URL`, `SPILLWAY_EMAIL` and `SPILLWAY_KEY`, or `SPILLWAY_TOKEN`, `SPILLWAY_ACCOUNT`,',
    '`SPILLWAY_ZONE` and `SPILLWAY_DATA`; without them it uses `<data>/first-run.json`.',
    '',
  ].join('\n')
}

type Described = {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly labelNames?: readonly string[]
}

export function metricsReference(): string {
  const rows = (makeMetrics().registry.getMetricsAsArray() as unknown as Described[]).map(
    ({ name, help, type, labelNames = [] }) => `| \`${name}\` | ${type} | ${labelNames.join(', ')} | ${help} |`,
  )
  return [
    '# Metrics',
    '',
    '`GET /metrics` in the Prometheus text format, without credentials: keep it inside. Beside these come the usual',
    'metrics of a Node.js process (`process_*`, `nodejs_*`). Alerts and a dashboard: [operate.md](../operate.md#monitoring).',
    '',
    '| Metric | Type | Labels | Meaning |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

export function cliReference(): string {
  const pages = commands.map((command) =>
    [`## spillway ${command.name}`, '', '```', helpOf(command), '```', ''].join('\n'),
  )
  return [
    '# Command line',
    '',
    'In a checkout `npx spillway <command>`. Exit codes: 0 done, 1 refused or failed, 2 called wrongly. `--json` prints the',
    'result as the API gave it.',
    '',
    ...pages,
  ].join('\n')
}
