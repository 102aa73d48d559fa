/** What the Terraform provider does with a zone: the requests it sends, and what it takes for drift in the answers. */
import assert from 'node:assert/strict'

export type Json = Record<string, unknown>

export type Provider = {
  ask(method: string, path: string, body?: unknown): Promise<{ status: number; result: Json }>
}

type Needs = {
  readonly service: { readonly url: string }
  readonly credential: { readonly email: string; readonly key: string }
}

export const providerOf = ({ service, credential }: Needs, zone: string): Provider => ({
  async ask(method, path, body) {
    const response = await fetch(`${service.url}/client/v4/zones/${zone}${path}`, {
      method,
      headers: {
        'x-auth-email': credential.email,
        'x-auth-key': credential.key,
        'user-agent': 'terraform-provider-cloudflare/5',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const envelope = text === '' ? { result: {} } : (JSON.parse(text) as { result: Json; errors: unknown })
    assert.ok(response.status === 404 || response.ok, `${method} ${path}: ${text}`)
    return { status: response.status, result: envelope.result }
  },
})

/** Attributes whose value in the answer is not the planned one; what the provider leaves unset it does not track. */
export function drift(planned: Json, answered: Json, writeOnly: readonly string[] = []): string[] {
  return Object.keys(planned).filter(
    (name) =>
      !writeOnly.includes(name) &&
      planned[name] !== null &&
      JSON.stringify(planned[name]) !== JSON.stringify(answered[name]),
  )
}

/** The provider fills these in for every job and every set of output options. */
export const jobDefaults = { frequency: 'high', max_upload_interval_seconds: 30, max_upload_records: 100_000 }
export const outputDefaults = {
  batch_prefix: '',
  batch_suffix: '',
  'CVE-2021-44228': false,
  field_delimiter: ',',
  output_type: 'ndjson',
  record_delimiter: '',
  record_prefix: '{',
  record_suffix: '}\n',
  record_template: '',
  sample_rate: 1,
  timestamp_format: 'unixnano',
}
