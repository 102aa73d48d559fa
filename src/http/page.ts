/**
 * Pages for people, the console's and the reference: held packed, named by their content for caches, and under a policy by which
 * nothing on them may run, load or send anything that did not come from this service.
 */
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

export type Page = { readonly type: string; readonly bytes: Buffer; readonly packed: Buffer; readonly tag: string }

export const makePage = (type: string, bytes: Buffer): Page => ({
  type,
  bytes,
  packed: gzipSync(bytes, { level: 9 }),
  tag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
})

// No inline script or style, no other origin, no frame around it, and no text that becomes markup (trusted types).
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

const guards = {
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  vary: 'accept-encoding',
}

export function sendPage(request: FastifyRequest, reply: FastifyReply, page: Page, caching: string): FastifyReply {
  reply.headers({ ...guards, 'cache-control': caching, etag: page.tag })
  if (request.headers['if-none-match'] === page.tag) return reply.code(304).send()
  reply.type(page.type)
  if (!/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) return reply.send(page.bytes)
  return reply.header('content-encoding', 'gzip').send(page.packed)
}
