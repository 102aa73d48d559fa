/** A browser for the tests of the console: the Chromium that `npm ci` brings, pages that fail on what goes wrong in them. */
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import axe from 'axe-core'
import { chromium, type Page } from 'playwright-core'
import { buildConsole } from '../scripts/build-console.ts'
import { unpackChromium } from './chromium.ts'
import type { House } from './house.ts'

export type ConsoleBrowser = {
  /** A fresh tab, signed in as the administrator and standing in the first zone. */
  enter(house: House): Promise<Page>
  open(): Promise<Page>
  /** A picture of the page, and no serious finding of axe on it. */
  look(page: Page, name: string): Promise<void>
  close(): Promise<void>
}

export async function openBrowser(): Promise<ConsoleBrowser> {
  await buildConsole()
  const scratch = await mkdtemp(join(tmpdir(), 'spillway-browser-'))
  const pictures = process.env.SPILLWAY_SCREENSHOTS ?? join(scratch, 'pictures')
  await mkdir(pictures, { recursive: true })
  const { program, fonts } = await unpackChromium()
  // Not the package's own arguments: they switch off the walls between origins, which are part of what is tested.
  const browser = await chromium.launch({
    executablePath: program,
    args: ['--no-sandbox', '--font-render-hinting=none'],
    env: { ...process.env, FONTCONFIG_FILE: await fontsFor(scratch, fonts) } as Record<string, string>,
  })

  async function open(): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1360, height: 860 }, colorScheme: 'light' })
    const page = await context.newPage()
    page.setDefaultTimeout(15_000)
    page.on('pageerror', (error) => assert.fail(`an error in the page: ${error.message}`))
    return page
  }

  return {
    open,
    async enter(house) {
      const page = await open()
      await page.goto(house.service.url)
      await signIn(page, house)
      return page
    },
    async look(page, name) {
      await page.screenshot({ path: join(pictures, `${name}.png`) })
      await page.evaluate(axe.source)
      const found = await page.evaluate(async () => {
        const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run({ resultTypes: ['violations'] })
        return violations.map(({ id, impact, nodes }) => ({
          id,
          impact,
          where: nodes.map(({ html }) => html).slice(0, 3),
        }))
      })
      const serious = found.filter(({ impact }) => impact === 'serious' || impact === 'critical')
      assert.deepEqual(serious, [], `axe on ${name}`)
    },
    async close() {
      await browser.close()
      await rm(scratch, { recursive: true, force: true })
    },
  }
}

type Axe = {
  run(options: object): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }>
}

export async function signIn(page: Page, { credential }: House): Promise<void> {
  await page.getByLabel('E-mail').fill(credential.email)
  await page.getByLabel('API key').fill(credential.key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Export jobs' }).waitFor()
}

/** Nothing on the page is still on its way; there may have been several such places at once. */
export async function settled(page: Page): Promise<void> {
  await page.locator('.loading').first().waitFor({ state: 'detached' })
}

/** The fonts of the Chromium package first, so that pictures look alike on machines with few fonts of their own. */
async function fontsFor(scratch: string, fonts: string): Promise<string> {
  const file = join(scratch, 'fonts.conf')
  const prefer = (family: string, first: string) =>
    `<alias binding="strong"><family>${family}</family><prefer><family>${first}</family></prefer></alias>`
  await writeFile(
    file,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
    <dir>${fonts}</dir><dir>/usr/share/fonts</dir><cachedir>${join(scratch, 'fonts')}</cachedir>
    ${prefer('system-ui', 'Open Sans')}${prefer('monospace', 'DejaVu Sans Mono')}</fontconfig>`,
  )
  return file
}
