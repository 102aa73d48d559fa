/** The built console: its files are read once and held packed, and its names carry their content's hash. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { problems } from '../base/index.ts'
import { makePage, type Page, sendPage } from './page.ts'
import { pathOf } from './problems.ts'

/** `node scripts/build-console.ts` writes it; `npm ci` runs that. */
const built = join(import.meta.dirname, '../../console/dist')

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

const howToBuild =
  'The console is not built yet. In the checkout of Spillway run `npm ci`, or `npm run build` when packages are there, and load this page again.\nThe API answers at /v4 in the meantime.\n'

/** Whether there is a console to show. */
export const isConsoleBuilt = (): boolean => existsSync(join(built, 'index.html'))

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
    return sendPage(request, reply, page, 'no-cache')
  }
  // Routes of the app live below /console, where no path of the API can be mistaken for one of them.
  app.get('/', index)
  app.get('/console', index)
  app.get('/console/*', index)
  app.get<{ Params: { name: string } }>('/assets/:name', async (request, reply) => {
    const page = find(`assets/${request.params.name}`)
    if (!page) throw problems.noRoute(pathOf(request.url))
    return sendPage(request, reply, page, 'public, max-age=31536000, immutable')
  })
}

function readPages(directory: string): Map<string, Page> {
  const pages = new Map<string, Page>()
  for (const folder of ['', 'assets/']) {
    for (const name of namesIn(join(directory, folder))) {
      const type = types[extname(name)]
      if (!type) continue
      pages.set(`${folder}${name}`, makePage(type, readFileSync(join(directory, folder, name))))
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
