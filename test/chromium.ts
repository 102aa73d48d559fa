/** The Chromium that `npm ci` brings, unpacked once beside the packages: 200 MB, which each temporary directory would unpack anew. */
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import sparticuz from '@sparticuz/chromium'

export type Chromium = {
  readonly program: string
  /** The fonts that come with it. */
  readonly fonts: string
}

const packages = join(import.meta.dirname, '../node_modules')

export async function unpackChromium(): Promise<Chromium> {
  const { version } = JSON.parse(readFileSync(join(packages, '@sparticuz/chromium/package.json'), 'utf8'))
  const place = join(packages, '.cache', `chromium-${version}`)
  if (!existsSync(place)) await unpackTo(place)
  return { program: join(place, 'chromium'), fonts: join(place, 'fonts') }
}

/** Whole or not at all: test files that begin together would run half a browser. */
async function unpackTo(place: string): Promise<void> {
  await mkdir(join(place, '..'), { recursive: true })
  const half = await mkdtemp(`${place}-`)
  const temporary = process.env.TMPDIR
  // The package knows no other way to be told where; it has looked by the time that the call returns.
  process.env.TMPDIR = half
  const unpacked = sparticuz.executablePath()
  if (temporary === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = temporary
  await unpacked
  // Another process may have been faster, and its Chromium is as good.
  await rename(half, place).catch(() => rm(half, { recursive: true, force: true }))
}
