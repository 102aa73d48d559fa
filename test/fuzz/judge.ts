/** What every answer must be, whatever was asked: an envelope, but for what the documentation names as something else. */
import { Ajv } from 'ajv'
import type { Endpoint, FuzzRequest } from './requests.ts'

export type FuzzAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

/** Records, decisions, exports of the audit log, pages of the console and what machines read: not in the envelope. */
const besideTheEnvelope =
  /\/logs\/(received|rayids)|\/edge\/decide|\/audit_logs|\/openapi\.json|^\/((healthz|readyz|metrics|console|assets|docs)(\/.*)?)?$/

export type Judge = (request: FuzzRequest, answer: FuzzAnswer) => string | undefined

export function makeJudge(endpoints: readonly Endpoint[]): Judge {
  // Each is used a few times: to make them fast costs ten times what it saves.
  const ajv = new Ajv({ strict: false, logger: false, code: { optimize: false } })
  const schemas = new Map(
    endpoints.flatMap(({ operation, answerSchema }) =>
      answerSchema ? [[operation, ajv.compile(answerSchema)] as const] : [],
    ),
  )
  return (request, answer) => {
    const { status, headers, body } = answer
    if (status >= 500) return `it was answered ${status}: ${body.toString('utf8').slice(0, 500)}`
    if (status < 200) return `it was answered ${status}`
    if (!/^[0-9a-f-]{36}$/.test(String(headers['x-request-id']))) return 'the answer has no request id'
    if (request.method === 'HEAD' || status === 204 || status === 304) return undefined
    const isJson = /^application\/json\b/.test(String(headers['content-type']))
    if (besideTheEnvelope.test(pathOf(request.target)) && (status < 400 || !isJson)) return undefined
    if (!isJson) return `the answer ${status} is ${headers['content-type']} and not JSON`
    const complaint = notAnEnvelope(status, body)
    if (complaint) return complaint
    const matches = request.isOnItsPath && status < 300 ? schemas.get(request.operation) : undefined
    if (matches && !matches(JSON.parse(body.toString('utf8'))))
      return `the document promises something else: ${ajv.errorsText(matches.errors)}`
    return undefined
  }
}

function notAnEnvelope(status: number, body: Buffer): string | undefined {
  let envelope: Record<string, unknown>
  try {
    envelope = JSON.parse(body.toString('utf8'))
  } catch {
    return `the answer ${status} is no JSON: ${body.toString('utf8').slice(0, 200)}`
  }
  const { success, errors, messages } = envelope
  const isWhole = Array.isArray(errors) && Array.isArray(messages) && 'result' in envelope
  if (!isWhole || success !== status < 400)
    return `the answer ${status} is no envelope: ${body.toString().slice(0, 200)}`
  if (success) return errors.length === 0 ? undefined : 'a success has errors'
  const areGood = errors.every(({ code, message }) => Number.isInteger(code) && code >= 1000 && message.length < 10_000)
  return areGood && errors.length > 0 ? undefined : `a refusal without good reasons: ${body.toString().slice(0, 300)}`
}

const pathOf = (target: string): string => {
  const path = target.replace(/^https?:\/\/[^/?]*/, '').replace(/\?.*$/s, '')
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}
