/** Certificates for tests, made here and now: an authority of our own, and servers that it vouches for (RFC 5280). */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIPv4 } from 'node:net'

export type Certificate = { readonly key: string; readonly cert: string }
export type Authority = {
  /** PEM, to be trusted by the client under test. */
  readonly cert: string
  issue(names: readonly string[], valid?: { from: Date; to: Date }): Certificate
}

const day = 86_400_000
const now = Date.now()
const thisWeek = { from: new Date(now - day), to: new Date(now + 7 * day) }

export function makeAuthority(name = 'Spillway test authority'): Authority {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const cert = certify({
    subject: name,
    issuer: name,
    publicKey,
    signer: privateKey,
    extensions: [isAuthority],
    valid: thisWeek,
  })
  return {
    cert,
    issue(names, valid = thisWeek) {
      const server = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
      const subject = names[0] ?? 'nobody'
      const extensions = [alternativeNames(names)]
      return {
        key: pemKey(server.privateKey),
        cert: certify({ subject, issuer: name, publicKey: server.publicKey, signer: privateKey, extensions, valid }),
      }
    },
  }
}

/** A certificate that vouches for itself. */
export function selfSigned(names: readonly string[]): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const subject = names[0] ?? 'nobody'
  const extensions = [alternativeNames(names)]
  const cert = certify({ subject, issuer: subject, publicKey, signer: privateKey, extensions, valid: thisWeek })
  return { key: pemKey(privateKey), cert }
}

const pemKey = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()

type Request = {
  readonly subject: string
  readonly issuer: string
  readonly publicKey: KeyObject
  readonly signer: KeyObject
  readonly extensions: readonly Buffer[]
  readonly valid: { readonly from: Date; readonly to: Date }
}

function certify({ subject, issuer, publicKey, signer, extensions, valid }: Request): string {
  const body = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    commonName(issuer),
    sequence(utcTime(valid.from), utcTime(valid.to)),
    commonName(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  )
  const whole = sequence(body, ecdsaWithSha256, bits(sign('sha256', body, signer)))
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

// DER: a tag, a length, the content.
function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content)
  const size = body.length
  const long = size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff]
  const length = size < 128 ? [size] : long
  return Buffer.concat([Buffer.from([tag, ...length]), body])
}

const sequence = (...content: readonly Uint8Array[]): Buffer => der(0x30, ...content)
const integer = (bytes: Uint8Array): Buffer => der(0x02, bytes)
const bits = (bytes: Uint8Array): Buffer => der(0x03, Buffer.from([0]), bytes)
const oid = (...bytes: readonly number[]): Buffer => der(0x06, Buffer.from(bytes))
const utcTime = (at: Date): Buffer =>
  der(0x17, Buffer.from(`${at.toISOString().replaceAll(/[-:T]/g, '').slice(2, 14)}Z`))
const commonName = (name: string): Buffer =>
  sequence(der(0x31, sequence(oid(0x55, 4, 3), der(0x0c, Buffer.from(name)))))
const extension = (id: Buffer, value: Buffer): Buffer => sequence(id, der(0x04, value))

const ecdsaWithSha256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2))
const isAuthority = extension(oid(0x55, 0x1d, 0x13), sequence(der(0x01, Buffer.from([0xff]))))

function alternativeNames(names: readonly string[]): Buffer {
  const name = (text: string) =>
    isIPv4(text) ? der(0x87, Buffer.from(text.split('.').map(Number))) : der(0x82, Buffer.from(text))
  return extension(oid(0x55, 0x1d, 0x11), sequence(...names.map(name)))
}
