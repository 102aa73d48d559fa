/** Access logs of real servers: one line becomes one `http_requests` record. The mapping is written out in docs/ingest. */
import { accept, type Judged, reject } from '../base/index.ts'
import { readCaddy } from './accesslog/caddy.ts'
import { readCombined } from './accesslog/combined.ts'
import { readEnvoy } from './accesslog/envoy.ts'
import { readNginx } from './accesslog/nginx.ts'
import type { Draft } from './accesslog/record.ts'
import { isObject } from './json.ts'
import type { Value } from './values.ts'

export const accessFormats = ['nginx-json', 'caddy', 'envoy-json', 'combined'] as const
export type AccessFormat = (typeof accessFormats)[number]

export const isAccessFormat = (text: string): text is AccessFormat => accessFormats.some((format) => format === text)

/** The record a line stands for, or the reason why it stands for none: not in the format, or without a time. */
export function judgeAccessLine(format: AccessFormat, line: string): Judged<Readonly<Record<string, Value>>> {
  const { shape, time, read } = formats[format]
  const draft = read(line)
  if (!draft) return reject(`the line is not ${shape}`)
  if (draft.EdgeStartTimestamp === undefined) return reject(`the line has no ${time} that can be read as a time`)
  const said = Object.entries(draft).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  return accept(Object.fromEntries(said))
}

type Format = {
  readonly shape: string
  /** The part of a line that says when. */
  readonly time: string
  /** Undefined when the line has another shape. */
  readonly read: (line: string) => Draft | undefined
}

const fromJson =
  (read: (line: Readonly<Record<string, unknown>>) => Draft): Format['read'] =>
  (line) => {
    const object = parseObject(line)
    return object && read(object)
  }

const formats: Readonly<Record<AccessFormat, Format>> = {
  'nginx-json': { shape: 'a JSON object', time: 'msec', read: fromJson(readNginx) },
  caddy: { shape: 'a JSON object', time: 'ts', read: fromJson(readCaddy) },
  'envoy-json': { shape: 'a JSON object', time: 'start_time', read: fromJson(readEnvoy) },
  combined: { shape: 'in the combined log format', time: '[time]', read: readCombined },
}

function parseObject(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isObject(value) ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
