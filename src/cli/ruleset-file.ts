/** Rulesets as files, JSON or YAML: read, written, and compared with what is deployed. */
import { isDeepStrictEqual } from 'node:util'
import type { rulesets } from '../contract/index.ts'
import { type Difference, difference, type Rule } from '../rulesets/index.ts'
import { CommandError, type Terminal } from './command.ts'
import { readText } from './read-file.ts'
import { paint, plain } from './table.ts'

/** Loaded by who needs it: every other command, and each start of the service, is 0.06 CPU-seconds quicker without. */
const loadYaml = () => import('yaml')

export type RulesetFile = { readonly description?: string; readonly rules: readonly Record<string, unknown>[] }

/** A file, or standard input for `-`. YAML reads JSON too, so one reader does for both. */
export async function readDocument(terminal: Terminal, path: string): Promise<unknown> {
  const text = path === '-' ? Buffer.concat(await Array.fromAsync(terminal.input)).toString() : await readText(path)
  const { parse } = await loadYaml()
  try {
    // Aliases can make a small file a huge one; no ruleset needs them.
    return parse(text, { maxAliasCount: 0 })
  } catch (error) {
    throw new CommandError(`${path} is neither JSON nor YAML: ${(error as Error).message.split('\n', 1)[0]}`)
  }
}

/** The rules of a file: a whole ruleset as `get` prints it, `{rules}`, or the bare list. */
export async function readRulesetFile(terminal: Terminal, path: string): Promise<RulesetFile> {
  const document = await readDocument(terminal, path)
  const { rules = document, description } = (Array.isArray(document) ? {} : (document ?? {})) as Record<string, unknown>
  if (!Array.isArray(rules)) throw new CommandError(`${path} holds no list of rules`)
  return { rules, ...(typeof description === 'string' ? { description } : {}) }
}

export const toYaml = async (value: unknown): Promise<string> =>
  (await loadYaml()).stringify(value, { lineWidth: 0 }).trimEnd()

/** Rules of another time or place keep their refs, by which the service knows them again; foreign ids it would refuse. */
export const withKnownIds = (
  rules: RulesetFile['rules'],
  deployed: readonly rulesets.RuleView[],
): Record<string, unknown>[] => {
  const known = new Set<unknown>(deployed.map((rule) => rule.id))
  return rules.map(({ id, ...rule }) => (known.has(id) ? { id, ...rule } : rule))
}

/** What deploying the rules of a file would change; rules are known by id, then by ref, as the service knows them. */
export function differenceTo(deployed: rulesets.RulesetView, file: RulesetFile): Difference {
  const after = file.rules.map((sent, index): Rule => {
    const old =
      deployed.rules.find((rule) => rule.id === sent.id) ??
      deployed.rules.find((rule) => sent.ref !== undefined && rule.ref === sent.ref)
    if (old && isSaidBy(sent, old)) return old as Rule
    const { version: _version, last_updated: _at, ...said } = sent
    const fresh = { description: '', enabled: true, ...said, id: old?.id ?? `new-${index + 1}` }
    return { ref: old?.ref ?? fresh.id, ...fresh } as unknown as Rule
  })
  return difference(deployed.rules as readonly Rule[], after)
}

/** Whether a file says nothing else than what is deployed: defaults that it leaves out are no difference. */
function isSaidBy(sent: unknown, deployed: unknown): boolean {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return isDeepStrictEqual(sent, deployed)
  const known = (deployed ?? {}) as Record<string, unknown>
  return Object.entries(sent).every(
    ([key, value]) => key === 'version' || key === 'last_updated' || isSaidBy(value, known[key] ?? emptyOf(value)),
  )
}

/** Members that answers leave out when they are empty. */
const emptyOf = (value: unknown): unknown => (typeof value === 'object' && value !== null ? {} : undefined)

const colours = { added: 'green', removed: 'red', changed: 'yellow', moved: 'cyan' } as const

export function showDifference(terminal: Terminal, { added, removed, changed, moved }: Difference): string {
  const mark = (change: keyof typeof colours, text: string) => paint(terminal, colours[change], text)
  const lines = [
    ...removed.map((rule) => mark('removed', `- ${named(rule)}`)),
    ...added.map((rule) => mark('added', `+ ${named(rule)}`)),
    ...changed.flatMap(({ id, from, to }) => [
      mark('changed', `~ ${id}`),
      ...Object.keys({ ...from, ...to }).flatMap((key) => [
        ...(key in from ? [mark('removed', `    - ${key}: ${shown(from[key as keyof Rule])}`)] : []),
        ...(key in to ? [mark('added', `    + ${key}: ${shown(to[key as keyof Rule])}`)] : []),
      ]),
    ]),
    ...moved.map(({ id, from, to }) => mark('moved', `> ${id}: ${from} to ${to}`)),
  ]
  return lines.length === 0 ? 'No difference.' : lines.join('\n')
}

const named = ({ id, action, expression, description }: Rule): string =>
  `${id} ${action} ${shown(expression)}${description ? ` (${shown(description)})` : ''}`

const shown = (value: unknown): string => plain(typeof value === 'string' ? value : JSON.stringify(value))
