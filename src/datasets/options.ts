/**
 * The option string of jobs and of log fetch: `fields`, `sample`, `timestamps` and `CVE-2021-44228`, joined with `&`. It
 * is written bare, or as a whole URL whose query is meant. Reasons name the character of the text they are about.
 */
import { type Judged, judgedBy, type Reason, reject } from '../base/index.ts'
import type { Dataset } from './dataset.ts'
import { excerpt, isTimestampFormat, judgeNames, mayBeSample } from './judging.ts'
import { plainSelection, type Selection, timestampFormats } from './selection.ts'

/** A piece of the text and where it begins. */
type Piece = { readonly text: string; readonly at: number }

const optionNames = ['fields', 'sample', 'timestamps', 'CVE-2021-44228'] as const
type OptionName = (typeof optionNames)[number]
type Draft = { -readonly [Key in keyof Selection]: Selection[Key] }
type Complain = (piece: Piece, message: string) => void

const longest = 4096

/** Parameters named in `besides` are passed over: log fetch has some of its own in the same query and judges them itself. */
export function judgeOptions(text: string, dataset: Dataset, besides: readonly string[] = []): Judged<Selection> {
  if (text.length > longest) return reject(`options are longer than ${longest} characters`)
  const reasons: Reason[] = []
  const complain: Complain = ({ at }, message) => reasons.push({ message: `${message} (character ${at + 1})` })
  const selection: Draft = { ...plainSelection(dataset) }
  const seen = new Set<string>()

  for (const pair of split(queryOf(text), /&/g)) {
    if (pair.text === '') continue
    const equals = pair.text.indexOf('=')
    const rawName = { text: equals === -1 ? pair.text : pair.text.slice(0, equals), at: pair.at }
    const name = decode(rawName.text)
    if (name === undefined) complain(rawName, sayBroken(rawName))
    else if (besides.includes(name)) continue
    else if (!isOptionName(name)) complain(pair, `unknown option ${excerpt(name)}; known are ${optionNames.join(', ')}`)
    else if (seen.has(name)) complain(pair, `option ${name} is given twice`)
    else if (equals === -1) complain(pair, `option ${name} has no value`)
    else readers[name]({ text: pair.text.slice(equals + 1), at: pair.at + equals + 1 }, selection, dataset, complain)
    if (name !== undefined) seen.add(name)
  }
  return judgedBy(reasons, () => selection)
}

/** The option string that means this selection, as far as an option string can say it; defaults are left unsaid. */
export function printOptions(selection: Selection): string {
  const options = [`fields=${selection.fields.join(',')}`]
  if (selection.sample !== 1) options.push(`sample=${selection.sample}`)
  if (selection.timestamps !== 'unixnano') options.push(`timestamps=${selection.timestamps}`)
  if (selection.redact) options.push('CVE-2021-44228=true')
  return options.join('&')
}

/** The part that holds the options: all of a bare string, the query of a URL. */
function queryOf(text: string): Piece {
  const url = /^https?:\/\/[^?#]*\??/i.exec(text)
  if (url) return { text: text.slice(url[0].length).replace(/#.*$/s, ''), at: url[0].length }
  return text.startsWith('?') ? { text: text.slice(1), at: 1 } : { text, at: 0 }
}

type Reader = (value: Piece, selection: Draft, dataset: Dataset, complain: Complain) => void

const readers: Record<OptionName, Reader> = {
  fields(value, selection, dataset, complain) {
    if (value.text === '') {
      complain(value, 'fields is an empty list; leave it out to get the default fields')
      return
    }
    // Clients encode the comma as often as not.
    const pieces = split(value, /,|%2C/gi)
    const names = pieces.map((piece) => decode(piece.text))
    const verdicts = judgeNames(dataset, names)
    for (const [index, piece] of pieces.entries()) {
      if (names[index] === undefined) complain(piece, sayBroken(piece))
      else if (verdicts[index]) complain(piece, `fields: ${verdicts[index]}`)
    }
    selection.fields = names.filter((name) => name !== undefined)
  },

  sample(value, selection, _dataset, complain) {
    const text = decode(value.text)
    const share = Number(text)
    if (text === undefined) complain(value, sayBroken(value))
    else if (!/^-?(\d+(\.\d*)?|\.\d+)$/.test(text)) complain(value, `sample ${excerpt(text)} is not a number`)
    else if (!mayBeSample(share)) complain(value, `sample ${excerpt(text)} is not between 0.001 and 1`)
    else selection.sample = share
  },

  timestamps(value, selection, _dataset, complain) {
    const text = decode(value.text)
    if (isTimestampFormat(text)) selection.timestamps = text
    else complain(value, `timestamps ${excerpt(value.text)} is not one of ${timestampFormats.join(', ')}`)
  },

  'CVE-2021-44228'(value, selection, _dataset, complain) {
    if (value.text !== 'true' && value.text !== 'false')
      complain(value, `CVE-2021-44228 is true or false, not ${excerpt(value.text)}`)
    selection.redact = value.text === 'true'
  },
}

const sayBroken = (piece: Piece): string => `the percent-encoding of ${excerpt(piece.text)} is broken`

const isOptionName = (name: string): name is OptionName => optionNames.some((each) => each === name)

function split(whole: Piece, separator: RegExp): Piece[] {
  const pieces: Piece[] = []
  let from = 0
  for (const found of whole.text.matchAll(separator)) {
    pieces.push({ text: whole.text.slice(from, found.index), at: whole.at + from })
    from = found.index + found[0].length
  }
  return [...pieces, { text: whole.text.slice(from), at: whole.at + from }]
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}
