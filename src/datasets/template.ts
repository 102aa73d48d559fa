/**
 * Record templates: a small part of Go's text/template. Literal text, `{{.Field}}`, constant strings `{{"text"}}` and
 * raw ones in back quotes, and comments. Nothing is computed, so a template is just a list of parts.
 */
import { type Judged, judgedBy, type Reason } from '../base/index.ts'
import { type Dataset, findField } from './dataset.ts'
import { excerpt, sayUnknownField } from './judging.ts'
import type { TemplatePart } from './selection.ts'

/** A field that is known but not among the selected ones is written as `null`; an unknown one is a mistake. */
export function judgeTemplate(
  text: string,
  dataset: Dataset,
  fields: readonly string[],
): Judged<readonly TemplatePart[]> {
  const reasons: Reason[] = []
  const parts: TemplatePart[] = []
  const say = (part: TemplatePart) => {
    const last = parts.at(-1)
    if ('text' in part && last && 'text' in last) parts[parts.length - 1] = { text: last.text + part.text }
    else if (!('text' in part) || part.text !== '') parts.push(part)
  }

  let at = 0
  while (at < text.length) {
    const open = text.indexOf('{{', at)
    say({ text: text.slice(at, open === -1 ? undefined : open) })
    if (open === -1) break
    const action = readAction(text, open)
    at = action.end
    if ('wrong' in action) reasons.push({ message: `${action.wrong} (character ${open + 1} of the template)` })
    else if ('text' in action) say({ text: action.text })
    else if (!findField(dataset, action.field)) reasons.push({ message: sayUnknownField(dataset, action.field) })
    else say(fields.includes(action.field) ? { field: action.field } : { null: true })
  }
  return judgedBy(reasons, () => parts)
}

type Action = { readonly end: number } & (
  | { readonly field: string }
  | { readonly text: string }
  | { readonly wrong: string }
)

// One alternative per kind of action. Sticky, and free of nested repetition: time grows with the text and no faster.
const actions =
  /\{\{(?:\/\*[\s\S]*?\*\/|\s*(?:\.(?<field>\w+)|`(?<raw>[^`]*)`|(?<quoted>"(?:[^"\\\p{Cc}]|\\(?:["\\bfnrt]|u[\da-fA-F]{4}))*"))\s*)\}\}/uy

function readAction(text: string, open: number): Action {
  actions.lastIndex = open
  const found = actions.exec(text)
  if (!found?.groups) {
    const close = text.indexOf('}}', open)
    if (close === -1) return { end: text.length, wrong: 'an action is opened with {{ and never closed' }
    const action = excerpt(text.slice(open, close + 2))
    return {
      end: close + 2,
      wrong: `${action} is not a field {{.Name}}, a string {{"text"}} or a comment {{/* text */}}`,
    }
  }
  const { field, raw, quoted } = found.groups
  const end = open + found[0].length
  if (field !== undefined) return { end, field }
  // A comment is nothing at all.
  const constant = quoted === undefined ? (raw ?? '') : (JSON.parse(quoted) as string)
  return constant.isWellFormed() ? { end, text: constant } : { end, wrong: 'a string escapes half a character' }
}
