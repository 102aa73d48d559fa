/**
 * The built console: its files are read once and held packed, its names carry their content's hash, and nothing on its
 * pages may run, load or send anything that did not come from this service.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { problems } from '../base/index.ts'
import { pathOf } from './problems.ts'

type Page = { readonly type: string; readonly bytes: Buffer; readonly packed: Buffer; readonly tag: string }

/** `node scripts/build-console.ts` writes it; `npm ci` runs that. */
const built = join(import.meta.dirname, '../../console/dist')

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

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

const howToBuild =
  'The console is not built yet. In the checkout of Spillway run `npm ci`, or `npm run build` when packages are there, and load this page again.\nThe API answers at /v4 in the meantime.\n'

export function bindConsole(app: FastifyInstance, directory = built): void {
  let pages: ReadonlyMap<string, Page> = new Map()
  /** Looked for again until it is there, so that a build beside a running service is found. */
  const find = (name: string): Page | undefined => {
    if (pages.size === 0) pages = readPages(directory)
    return pages.get(name)
  }

  const index = async (request: FastifyRequest, reply: FastifyReply) => {
    const page = find('index.html')
    if (!page) return reply.code(503).type('text/plain; charset=utf-8').send(howToBuild)
    return send(request, reply, page, 'no-cache')
  }
  // Routes of the app live below /console, where no path of the API can be mistaken for one of them.
  app.get('/', index)
  app.get('/console', index)
  app.get('/console/*', index)
  app.get<{ Params: { name: string } }>('/assets/:name', async (request, reply) => {
    const page = find(`assets/${request.params.name}`)
    if (!page) throw problems.noRoute(pathOf(request.url))
    return send(request, reply, page, 'public, max-age=31536000, immutable')
  })
}

function send(request: FastifyRequest, reply: FastifyReply, page: Page, caching: string): FastifyReply {
  reply.headers({ ...guards, 'cache-control': caching, etag: page.tag })
  if (request.headers['if-none-match'] === page.tag) return reply.code(304).send()
  reply.type(page.type)
  if (!/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) return reply.send(page.bytes)
  return reply.header('content-encoding', 'gzip').send(page.packed)
}

function readPages(directory: string): Map<string, Page> {
  const pages = new Map<string, Page>()
  for (const folder of ['', 'assets/']) {
    for (const name of namesIn(join(directory, folder))) {
      const type = types[extname(name)]
      if (!type) continue
      const bytes = readFileSync(join(directory, folder, name))
      const tag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
      pages.set(`${folder}${name}`, { type, bytes, packed: gzipSync(bytes, { level: 9 }), tag })
    }
  }
  return pages
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
