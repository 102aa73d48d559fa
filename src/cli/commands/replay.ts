/** Try rules on stored requests before anyone deploys them. */
import { edge, type ResultOf } from '../../contract/index.ts'
import { command, UsageError } from '../command.ts'
import { connect, connectFlags, scopeFlags } from '../connect.ts'
import { readJson } from '../read-file.ts'
import { plain, print } from '../table.ts'

type Replayed = ResultOf<typeof edge.replayRules>

export const replayCommands = [
  command({
    name: 'replay',
    says: 'Show which stored requests an expression or a ruleset would have matched.',
    takes: '[expression]',
    flags: {
      ...connectFlags,
      ...scopeFlags,
      ruleset: { type: 'string', value: '<id or file>', says: 'A stored ruleset, or a JSON file with its rules.' },
      start: { type: 'string', value: '<time>', says: 'RFC 3339; a day before the end unless said.' },
      end: { type: 'string', value: '<time>', says: 'RFC 3339; now unless said.' },
    },
    async run(terminal, given, [expression]) {
      if ((expression === undefined) === (given.ruleset === undefined))
        throw new UsageError('say an expression, or --ruleset')
      const { client, scope } = connect(given)
      const body = {
        ...(expression === undefined ? {} : { expression }),
        ...(given.ruleset === undefined ? {} : { ruleset: await readRuleset(given.ruleset) }),
        ...(given.start === undefined ? {} : { start: given.start }),
        ...(given.end === undefined ? {} : { end: given.end }),
      }
      const told = await client.call(edge.replayRules, { scope: await scope(), body })
      print(terminal, given, told, () => [...lines(told)].map(plain).join('\n'))
      return told.count === null ? 1 : 0
    },
  }),
]

async function readRuleset(text: string) {
  if (/^[0-9a-f]{32}$/.test(text)) return text
  return (await readJson(text)) as { rules: { expression: string }[] }
}

function* lines(told: Replayed): Generator<string> {
  const { total, count, share, rules, top } = told
  if (count === null) yield `Not every rule can be asked of the ${total} stored requests.`
  else yield `${count} of ${total} requests match${share === null ? '' : ` (${(share * 100).toFixed(2)} %)`}`
  if (told.fields_not_recorded.length > 0) yield `Records do not hold ${told.fields_not_recorded.join(', ')}`
  if (told.functions_not_replayed.length > 0) yield `Records cannot answer ${told.functions_not_replayed.join(', ')}`
  if (rules.length > 1)
    for (const rule of rules)
      yield `  ${rule.count ?? '?'}  ${rule.description || rule.expression || rule.action || ''}`
  for (const [name, values] of Object.entries(top)) {
    if (values.length === 0) continue
    yield `by ${name}`
    for (const { value, count: each } of values) yield `  ${each}  ${value || '(none)'}`
  }
}
