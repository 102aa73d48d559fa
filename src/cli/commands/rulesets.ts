/** Rulesets: list, get, put, diff, rollback, versions, tags. */
import { isId } from '../../base/index.ts'
import { rulesets } from '../../contract/index.ts'
import { phases } from '../../rulesets/index.ts'
import { CommandError, command, type Flags, UsageError } from '../command.ts'
import { type Connection, connect, connectFlags, scopeFlags } from '../connect.ts'
import { differenceTo, readRulesetFile, showDifference, toYaml, withKnownIds } from '../ruleset-file.ts'
import { print, table } from '../table.ts'

const flags = { ...connectFlags, ...scopeFlags } as const satisfies Flags
const yaml = { yaml: { type: 'boolean', says: 'Print the result as YAML.' } } as const satisfies Flags
const dryRun = { 'dry-run': { type: 'boolean', says: 'Check everything, store nothing.' } } as const satisfies Flags
const phaseNames = phases.map(({ name }) => name)

/** What every command here works on: a ruleset by its id, or the entry point of a phase by its name. */
async function open(connection: Connection, word: string | undefined) {
  if (!word) throw new UsageError('say the id of the ruleset, or the name of the phase')
  const scope = await connection.scope()
  const { client } = connection
  const byId = { scope, params: { ruleset_id: word } }
  const byPhase = { scope, params: { phase: word } }
  return {
    view: () => (isId(word) ? client.call(rulesets.viewRuleset, byId) : client.call(rulesets.viewEntryPoint, byPhase)),
    versions: () =>
      isId(word) ? client.call(rulesets.listVersions, byId) : client.call(rulesets.listEntryPointVersions, byPhase),
    version: (version: string): Promise<rulesets.RulesetView> =>
      isId(word)
        ? client.call(rulesets.viewVersion, { scope, params: { ruleset_id: word, version } })
        : client.call(rulesets.viewEntryPointVersion, { scope, params: { phase: word, version } }),
    put: (body: object, isDry = false, ifMatch?: string) => {
      const write = {
        body,
        ...(isDry ? { query: { dry_run: true } } : {}),
        ...(ifMatch === undefined ? {} : { headers: { 'if-match': `"${ifMatch}"` } }),
      }
      return isId(word)
        ? client.call(rulesets.updateRuleset, { ...byId, ...write })
        : client.call(rulesets.updateEntryPoint, { ...byPhase, ...write })
    },
  }
}

const rulesIn = ({ rules }: rulesets.RulesetView): string => (rules.length === 1 ? '1 rule' : `${rules.length} rules`)

/** An entry point that is not there yet is one without rules. */
const absent: rulesets.RulesetView = {
  id: '',
  name: '',
  description: '',
  kind: 'zone',
  phase: '',
  version: '0',
  last_updated: '',
  rules: [],
}

async function viewOrAbsent(
  word: string | undefined,
  ruleset: Awaited<ReturnType<typeof open>>,
): Promise<rulesets.RulesetView> {
  return ruleset.view().catch((error: { status?: number }) => {
    if (error.status === 404 && word !== undefined && !isId(word)) return absent
    throw error
  })
}

export const rulesetCommands = [
  command({
    name: 'rulesets list',
    says: 'Rulesets of a zone or account, and those it may execute.',
    flags,
    async run(terminal, given) {
      const connection = connect(given)
      const scope = await connection.scope()
      const found = await Array.fromAsync(connection.client.all(rulesets.listRulesets, { scope }))
      print(terminal, given, found, () =>
        table(
          terminal,
          ['id', 'kind', 'phase', 'version', 'name'],
          found.map(({ id, kind, phase, version, name }) => [id, kind, phase, version, name]),
        ),
      )
      return 0
    },
  }),
  command({
    name: 'rulesets get',
    says: 'A ruleset with its rules, as JSON or YAML.',
    takes: '<id|phase>',
    offers: phaseNames,
    flags: { ...flags, ...yaml, version: { type: 'string', value: '<number>', says: 'This version of it.' } },
    async run(terminal, given, [word]) {
      const ruleset = await open(connect(given), word)
      const found = await (given.version === undefined ? ruleset.view() : ruleset.version(given.version))
      terminal.out(given.yaml ? await toYaml(found) : JSON.stringify(found, null, 2))
      return 0
    },
  }),
  command({
    name: 'rulesets put',
    says: 'Deploy the rules of a file.',
    takes: '<id|phase> <file>',
    offers: phaseNames,
    flags: {
      ...flags,
      ...dryRun,
      'if-version': { type: 'string', value: '<number>', says: 'Only if this is still the newest version.' },
    },
    more: 'The file is JSON or YAML: a ruleset as "rulesets get" prints it, or a list of rules; "-" reads standard input.',
    async run(terminal, given, [word, path]) {
      if (!path) throw new UsageError('say the file')
      const ruleset = await open(connect(given), word)
      const file = await readRulesetFile(terminal, path)
      const deployed = await viewOrAbsent(word, ruleset)
      const rules = withKnownIds(file.rules, deployed.rules)
      const done = await ruleset.put({ ...file, rules }, given['dry-run'], given['if-version'])
      print(terminal, given, done, () =>
        done ? `Version ${done.version} is deployed; it has ${rulesIn(done)}.` : 'It would be accepted.',
      )
      return 0
    },
  }),
  command({
    name: 'rulesets diff',
    says: 'What a file would change, or what changed between two versions.',
    takes: '<id|phase> [file]',
    offers: phaseNames,
    flags: {
      ...flags,
      from: { type: 'string', value: '<number>', says: 'The older version, without a file.' },
      to: { type: 'string', value: '<number>', says: 'The newer version; the newest unless said.' },
    },
    async run(terminal, given, [word, path]) {
      if (!path && given.from === undefined) throw new UsageError('say a file, or --from a version')
      const ruleset = await open(connect(given), word)
      const [before, after] = path
        ? [await viewOrAbsent(word, ruleset), await readRulesetFile(terminal, path)]
        : [
            await ruleset.version(given.from ?? ''),
            await (given.to === undefined ? ruleset.view() : ruleset.version(given.to)),
          ]
      const found = differenceTo(before, { rules: after.rules as Record<string, unknown>[] })
      print(terminal, given, found, () => showDifference(terminal, found))
      return 0
    },
  }),
  command({
    name: 'rulesets rollback',
    says: 'Deploy an old version again, as a new one.',
    takes: '<id|phase> <version>',
    offers: phaseNames,
    flags: { ...flags, ...dryRun },
    async run(terminal, given, [word, number]) {
      if (!number) throw new UsageError('say the version to go back to')
      const ruleset = await open(connect(given), word)
      const [deployed, old] = [await ruleset.view(), await ruleset.version(number)]
      if (old.version === deployed.version) throw new CommandError(`version ${number} is the one that is deployed`)
      const rules = withKnownIds(old.rules as unknown as Record<string, unknown>[], deployed.rules)
      const body = { description: old.description, rules }
      // If-Match: a change made meanwhile is not to be rolled back unseen.
      const done = await ruleset.put(body, given['dry-run'], deployed.version)
      print(terminal, given, done, () =>
        done ? `The rules of version ${number} are deployed as version ${done.version}.` : 'It would be accepted.',
      )
      return 0
    },
  }),
  command({
    name: 'rulesets versions',
    says: 'All versions of a ruleset.',
    takes: '<id|phase>',
    offers: phaseNames,
    flags,
    async run(terminal, given, [word]) {
      const found = await (await open(connect(given), word)).versions()
      print(terminal, given, found, () =>
        table(
          terminal,
          ['version', 'last updated', 'description'],
          found.map(({ version, last_updated, description }) => [version, last_updated, description]),
        ),
      )
      return 0
    },
  }),
  command({
    name: 'rulesets tags',
    says: 'The tags of a managed ruleset, or its rules with one tag.',
    takes: '<id> [tag]',
    flags: { ...connectFlags, account: scopeFlags.account },
    async run(terminal, given, [id, tag]) {
      if (!id) throw new UsageError('say the id of the managed ruleset')
      const { client, account } = connect(given)
      const scope = { account: account() }
      const { rules, version } = await client.call(rulesets.viewRuleset, { scope, params: { ruleset_id: id } })
      if (tag !== undefined) {
        const params = { ruleset_id: id, version, tag }
        const found = (await client.call(rulesets.listRulesByTag, { scope, params })).rules
        print(terminal, given, found, () =>
          table(
            terminal,
            ['id', 'action', 'enabled', 'description'],
            found.map((rule) => [rule.id, rule.action, String(rule.enabled), rule.description]),
          ),
        )
        return 0
      }
      const counts = Object.entries(
        Object.groupBy(
          rules.flatMap((rule) => rule.categories ?? []),
          (one) => one,
        ),
      )
      const tags = counts
        .map(([name, all]) => ({ tag: name, rules: all?.length ?? 0 }))
        .toSorted((a, b) => b.rules - a.rules)
      print(terminal, given, tags, () =>
        table(
          terminal,
          ['tag', 'rules'],
          tags.map((one) => [one.tag, String(one.rules)]),
        ),
      )
      return 0
    },
  }),
]
