/** Judges what a caller wants a job to be: every reason at once, each with its place in the body. */
import { accept, type Judged, judgedBy, type Reason, reject } from '../base/index.ts'
import { type Dataset, judgeFilter, judgeOptions, judgeOutputOptions, type Selection } from '../datasets/index.ts'
import { type Destination, judgeDestination } from '../destinations/index.ts'

/** What a job exports and how, in the words its owner used; frozen with each window. */
export type OptionTexts = {
  readonly logfetch_options: string | null
  readonly output_options: Record<string, unknown> | null
  readonly filter: string
}

/** The meaning of the option texts: output options win over the option string, and the filter holds for both. */
export function judgeSelection(texts: OptionTexts, dataset: Dataset): Judged<Selection> {
  const base =
    texts.output_options === null
      ? at('/logfetch_options', judgeOptions(texts.logfetch_options ?? '', dataset))
      : below('/output_options', judgeOutputOptions(texts.output_options, dataset))
  const filter = texts.filter === '' ? accept(null) : at('/filter', judgeFilter(texts.filter, dataset))
  const kept = [
    at('/logfetch_options', judgeKept(texts.logfetch_options ?? '')),
    at('/filter', judgeKept(texts.filter)),
  ]
  const reasons = [base, filter, ...kept].flatMap((judged) => (judged.ok ? [] : judged.reasons))
  if (!base.ok || !filter.ok || reasons.length > 0) return { ok: false, reasons }
  return accept({ ...base.value, filter: filter.value })
}

/**
 * Texts are given back as they were sent, also the parts that mean nothing (the path of a URL, options beside output
 * options). Half a surrogate pair would come back as another character: it is no UTF-8.
 */
const judgeKept = (text: string): Judged<void> =>
  text.isWellFormed() ? accept(undefined) : reject('half a surrogate pair cannot be kept')

/** A list with a thousand wrong names is one mistake, not a thousand. */
export const mostReasons = 20

export const judgeConf = (conf: string): Judged<Destination> => at('/destination_conf', judgeDestination(conf))

/** Ranges with a hole: 0 means no ceiling of the customer's own, otherwise not below the least. */
const ceilings = {
  max_upload_bytes: [5_000_000, 1_000_000_000],
  max_upload_records: [1_000, 1_000_000],
  max_upload_interval_seconds: [30, 300],
} as const

export type Ceilings = { readonly [Name in keyof typeof ceilings]?: number | null }

export function judgeCeilings(draft: Ceilings): Judged<void> {
  const reasons = Object.entries(ceilings).flatMap(([name, [least, most]]): Reason[] => {
    const value = draft[name as keyof Ceilings]
    if (value == null || value === 0 || (value >= least && value <= most)) return []
    return [{ message: `${name} must be 0, or from ${least} to ${most}`, pointer: `/${name}` }]
  })
  return judgedBy(reasons, () => undefined)
}

/** Saving a job in the console sets the redaction option to false; everything else stays as it was written. */
export function withoutRedaction(texts: OptionTexts): OptionTexts {
  const { 'CVE-2021-44228': _, ...output } = texts.output_options ?? {}
  return {
    ...texts,
    logfetch_options: texts.logfetch_options === null ? null : dropOption(texts.logfetch_options),
    output_options: texts.output_options === null ? null : output,
  }
}

/** The option's name may itself be written with percent escapes. */
function dropOption(text: string): string {
  const [, head = '', query = '', end = ''] = /^((?:https?:\/\/[^?#]*)?\??)([^#]*)(.*)$/is.exec(text) ?? []
  const kept = query.split('&').filter((pair) => nameOf(pair) !== 'CVE-2021-44228')
  return head + kept.join('&') + end
}

function nameOf(pair: string): string {
  const name = pair.split('=', 1)[0] ?? ''
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/** A judgement of a text inside the body: its reasons all lie at that text. */
const at = <T>(pointer: string, judged: Judged<T>): Judged<T> =>
  judged.ok ? judged : { ok: false, reasons: judged.reasons.map((reason) => ({ ...reason, pointer })) }

/** A judgement of an object inside the body: its pointers go on from there. */
const below = <T>(pointer: string, judged: Judged<T>): Judged<T> =>
  judged.ok
    ? judged
    : {
        ok: false,
        reasons: judged.reasons.map((reason) => ({ ...reason, pointer: `${pointer}${reason.pointer ?? ''}` })),
      }
