/** The page at /docs: whole, offline, and readable by people and their tools. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { operations, pathsOf } from '../src/contract/index.ts'
import { openBrowser } from './console-browser.ts'
import { type House, startHouse } from './house.ts'

let house: House
before(async () => {
  house = await startHouse()
})
after(() => house.stop())

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${house.service.url}${path}`, { headers })
const plain = (html: string) =>
  html.replaceAll(/<[^>]+>/g, '').replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(code))

test('every operation stands on the page with its paths, its permission and its fields', async () => {
  const html = await (await get('/docs')).text()
  const text = plain(html)
  for (const operation of operations) {
    assert.ok(html.includes(`<article id="${operation.id}">`), operation.id)
    assert.ok(html.includes(`<a href="#${operation.id}">`), operation.id)
    for (const path of pathsOf(operation)) assert.ok(text.includes(path), path)
  }
  for (const words of [
    'destination_conf',
    'rules[].action',
    'source.pointer',
    'Needs the permission logs:edit.',
    'Super administrators only.',
  ])
    assert.ok(text.includes(words), words)
  assert.doesNotMatch(text, /\[object|undefined/)
})

test('the page needs nothing from elsewhere, runs no script and is kept by caches until it changes', async () => {
  const page = await get('/docs')
  const html = await page.text()
  assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'.*require-trusted-types-for/)
  assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
  assert.doesNotMatch(html, /<script|<style| style=| on\w+=|(?:src|href)="(?:\w+:)?\/\//)
  const links = [...html.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, link = '']) => link)
  for (const link of new Set(links)) assert.equal((await get(link)).status, 200, link)
  const again = await get('/docs', { 'if-none-match': page.headers.get('etag') ?? '' })
  assert.equal(again.status, 304)
})

test('in a browser it reads well in light and dark, wide and narrow, and asks no other server', async () => {
  const browser = await openBrowser()
  try {
    const page = await browser.open()
    const asked = new Set<string>()
    page.on('request', (request) => asked.add(new URL(request.url()).origin))
    await page.goto(`${house.service.url}/docs`)
    await browser.look(page, 'docs')
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.goto(`${house.service.url}/docs#createJob`)
    await browser.look(page, 'docs-dark')
    await page.setViewportSize({ width: 390, height: 800 })
    const overflow = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = (globalThis as unknown as { document: { documentElement: Box } }).document
        .documentElement
      return scrollWidth - clientWidth
    })
    assert.equal(overflow, 0)
    assert.deepEqual([...asked], [house.service.url])
  } finally {
    await browser.close()
  }
})

type Box = { readonly scrollWidth: number; readonly clientWidth: number }
