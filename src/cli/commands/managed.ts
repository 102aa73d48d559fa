/** Managed rulesets: import. */
import { rulesets } from '../../contract/index.ts'
import { command, UsageError } from '../command.ts'
import { connect, connectFlags } from '../connect.ts'
import { readDocument } from '../ruleset-file.ts'
import { print } from '../table.ts'

export const managedCommands = [
  command({
    name: 'managed import',
    says: 'Provide a managed ruleset to all accounts; a changed file is its next version (super administrators).',
    takes: '<file>',
    flags: { ...connectFlags, 'dry-run': { type: 'boolean', says: 'Check everything, store nothing.' } },
    more: 'The file is JSON or YAML: {name, phase, description?, id?, rules: [{ref, action, expression, categories}]}.',
    async run(terminal, given, [path]) {
      if (!path) throw new UsageError('say the file')
      const body = (await readDocument(terminal, path)) as object
      const query = given['dry-run'] ? { query: { dry_run: true } } : {}
      const done = await connect(given).client.call(rulesets.importManagedRuleset, { body, ...query })
      print(terminal, given, done, () =>
        done
          ? `${done.name} (${done.id}) is at version ${done.version}, ${done.rules.length} rules.`
          : 'It would be accepted.',
      )
      return 0
    },
  }),
]
